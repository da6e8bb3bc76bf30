import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// What a connection remembers saves work, and changes no answer.
@Suite struct ConnectionMemoryTests {
  private static let stranger = Caller(uid: 1001, gid: 1001, pid: 2)

  /// A service with two keys for MACs, and what its connections remember.
  private struct Scene {
    let test: TestService
    let clock = TestClock()
    let keys: [KeyID]

    init(_ grants: [Rule]) throws {
      var ids: [KeyID] = []
      test = try TestService(grants: grants, clock: clock) { store in
        for name in ["one", "two"] {
          let label = try #require(KeyLabel("merchant/acme/" + name))
          let material = KeyMaterial.symmetric(try SecretBuffer(count: 32))
          ids.append(
            try store.importKey(
              KeyImport(label: label, role: .macCMAC, material: material), at: TestService.start,
              anchor: .beginning
            ).id)
        }
      }
      keys = ids
      try test.unlock()
    }

    func mac(_ key: Int, _ memory: ConnectionMemory, from caller: Caller = TestService.caller)
      throws -> Status
    {
      try test.call(.mac, key: keys[key], body: TestService.macBody(), from: caller, memory: memory)
        .header.status
    }

    func reload(_ grants: [Rule]) throws { try test.service.reload(TestService.rules(grants)) }
  }

  private static func grant(
    _ users: [Caller] = [TestService.caller], keys: [String] = ["merchant/acme/*"],
    rate: String? = nil, quota: String? = nil,
    keyQuota: String? = nil, validity: Validity = .always
  ) throws -> Rule {
    try Rule(
      id: "macs", callers: CallerRule(users: users.map { Principal(id: $0.uid) }),
      operations: [.mac], keys: keys.compactMap(KeyPattern.init),
      rate: rate.flatMap(Rate.init), quota: quota.flatMap(Quota.init),
      keyQuota: keyQuota.flatMap(Quota.init), validity: validity)
  }

  private static func operators() throws -> Rule {
    try Rule(
      id: "operators", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.suspendKey, .resumeKey, .retireKey, .destroyKey, .lock],
      keys: [#require(KeyPattern("*"))])
  }

  @Test func onlyWhatWasAllowedIsRemembered() throws {
    let scene = try Scene([Self.grant(keys: ["merchant/acme/one"])])
    let memory = ConnectionMemory()
    for key in [scene.keys[1], KeyID(high: 1, low: 1), .none] {
      for _ in 0..<2 {
        #expect(try scene.test.call(.mac, key: key, memory: memory).header.status == .denied)
      }
    }
    #expect(memory.count == 0)
    for _ in 0..<3 { #expect(try scene.mac(0, memory) == .ok) }
    #expect(memory.count == 1)
    #expect(try scene.mac(1, memory) == .denied)
    #expect(memory.count == 1)
  }

  @Test func anotherPolicyIsObeyedAtOnce() throws {
    let scene = try Scene([Self.grant()])
    let memory = ConnectionMemory()
    #expect(try scene.mac(0, memory) == .ok)
    try scene.reload([Self.grant(keys: ["merchant/acme/two"])])
    #expect(try scene.mac(0, memory) == .denied)
    #expect(try scene.mac(1, memory) == .ok)
    try scene.reload([Self.grant(keys: ["merchant/acme/one"])])
    #expect(try scene.mac(0, memory) == .ok)
    #expect(try scene.mac(1, memory) == .denied)
    let digests = try scene.test.records().filter { $0.opcode == .mac }.compactMap {
      $0.policy?.digest
    }
    #expect(digests.count == 5 && Set(digests).count == 3)
  }

  @Test(
    "a key's state counts from the next request on",
    arguments: [Opcode.suspendKey, .retireKey, .destroyKey]) func keyStates(_ step: Opcode) throws
  {
    let scene = try Scene([Self.grant(), Self.operators()])
    let memory = ConnectionMemory()
    func ask(_ opcode: Opcode) throws -> Status {
      try scene.test.call(opcode, key: scene.keys[0], on: .operators, memory: memory).header.status
    }
    #expect(try scene.mac(0, memory) == .ok && scene.mac(1, memory) == .ok)
    if step == .destroyKey { #expect(try ask(.retireKey) == .ok) }
    #expect(try ask(step) == .ok)
    for _ in 0..<2 { #expect(try scene.mac(0, memory) == .denied) }
    #expect(try scene.mac(1, memory) == .ok)
    guard step == .suspendKey else { return }
    #expect(try ask(.resumeKey) == .ok)
    #expect(try scene.mac(0, memory) == .ok)
  }

  /// In one batch, so that the step comes after the batch's snapshot of the rules.
  @Test func aKeyIsGoneForTheNextRequestOfTheSameBatch() throws {
    let scene = try Scene([Self.grant(), Self.operators()])
    var exchange = try scene.test.service.exchange(with: TestService.caller, on: .operators)
    let body = try TestService.macBody()
    for (opcode, body) in [(Opcode.mac, body), (.suspendKey, []), (.mac, body)] {
      let frame = TestService.frame(opcode, key: scene.keys[0], body: body)
      try exchange.serve(frame.span)
    }
    _ = exchange.replies()
    #expect(try scene.test.records().suffix(4).compactMap(\.status) == [.ok, .ok, .denied])
  }

  @Test func aKeyMadeLaterIsFound() throws {
    let maker = try Rule(
      id: "makers", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.generateKey, .mac], keys: [#require(KeyPattern("*"))])
    let scene = try Scene([maker])
    let memory = ConnectionMemory()
    #expect(try scene.mac(0, memory) == .ok)
    let made = try scene.test.generateKey("merchant/acme/three")
    #expect(
      try scene.test.call(.mac, key: made, body: TestService.macBody(), memory: memory).header
        .status == .ok)
    #expect(try scene.test.lastRecord()?.label == "merchant/acme/three")
  }

  @Test func aGrantEndsAndBeginsAtItsTimes() throws {
    let day: Int64 = 86_400
    let week = Timestamp(seconds: TestService.start.seconds / (7 * day) * 7 * day)
    let early = try Self.grant(validity: Validity(until: week.adding(seconds: day)))
    let daily = try Rule(
      id: "mornings", callers: early.callers, operations: [.mac], keys: early.keys,
      validity: Validity(
        from: week.adding(seconds: 2 * day), hours: [#require(WeeklyHours("08:00-12:00"))]))
    let scene = try Scene([early, daily])
    let memory = ConnectionMemory()
    for (seconds, grant) in [
      (0, "macs"), (day - 1, "macs"), (day, nil), (2 * day, nil), (2 * day + 8 * 3600, "mornings"),
      (2 * day + 12 * 3600, nil),
      (3 * day + 9 * 3600, "mornings"),
      (10, "macs"),
    ] as [(Int64, String?)] {
      scene.clock.now = week.adding(seconds: seconds)
      #expect(try scene.mac(0, memory) == (grant == nil ? .denied : .ok), "\(seconds)")
      // Behind it is the step's record, where the clock was set back.
      let used = try scene.test.records().last { $0.opcode == .mac }
      #expect(used?.policy?.grant == grant)
    }
  }

  @Test func rateAndQuotaAreCountedForEachRequest() throws {
    for limited in [
      try Self.grant(rate: "3/h"), try Self.grant(quota: "3/d"), try Self.grant(keyQuota: "3/d"),
    ] {
      let scene = try Scene([limited])
      let memory = ConnectionMemory()
      let other = ConnectionMemory()
      for _ in 0..<2 { #expect(try scene.mac(0, memory) == .ok) }
      // Two connections of one user share the limit.
      #expect(try scene.mac(0, other) == .ok)
      for memory in [memory, other] { #expect(try scene.mac(0, memory) == .busy) }
      scene.clock.now = scene.clock.now.adding(seconds: 86_400)
      #expect(try scene.mac(0, memory) == .ok)
    }
  }

  /// Even if two users' connections had one memory, neither would get what is the other's.
  @Test func whatOneCallerMayNoOtherMay() throws {
    let strangers = try Rule(
      id: "strangers", callers: CallerRule(users: [Principal(id: Self.stranger.uid)]),
      operations: [.mac], keys: [#require(KeyPattern("merchant/acme/two"))])
    let scene = try Scene([Self.grant(keys: ["merchant/acme/one"]), strangers])
    let shared = ConnectionMemory()
    for _ in 0..<2 {
      #expect(try scene.mac(0, shared) == .ok)
      #expect(try scene.mac(0, shared, from: Self.stranger) == .denied)
      #expect(try scene.mac(1, shared, from: Self.stranger) == .ok)
      #expect(try scene.test.lastRecord()?.actor?.uid == Int64(Self.stranger.uid))
      #expect(try scene.mac(1, shared) == .denied)
    }
  }

  @Test func lockingEndsIt() throws {
    let scene = try Scene([Self.grant(), Self.operators()])
    let memory = ConnectionMemory()
    #expect(try scene.mac(0, memory) == .ok)
    #expect(try scene.test.status(.lock, on: .operators) == .ok)
    #expect(try scene.mac(0, memory) == .locked)
    try scene.test.unlock()
    #expect(try scene.mac(0, memory) == .ok)
  }

  @Test func whatIsRememberedIsBounded() throws {
    let scene = try Scene([try TestService.everything()])
    let memory = ConnectionMemory()
    for number in 0..<3 * ConnectionMemory.capacity {
      let key = try scene.test.generateKey("merchant/many/\(number)")
      #expect(
        try scene.test.call(.mac, key: key, body: TestService.macBody(), memory: memory).header
          .status == .ok)
      #expect(memory.count <= ConnectionMemory.capacity)
    }
    let ids = try scene.test.reopenedStore { $0.records.filter { $0.role == .macCMAC }.map(\.id) }
    for id in ids {
      #expect(
        try scene.test.call(.mac, key: id, body: TestService.macBody(), memory: memory).header
          .status == .ok)
    }
    #expect(memory.count > 0 && memory.count <= ConnectionMemory.capacity)
  }
}
