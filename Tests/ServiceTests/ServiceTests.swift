import Audit
import Crypto
import Format
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// One request from its bytes to its record, without sockets.
@Suite struct ServiceTests {
  static let random: [UInt8] = [0x08, 0x10]

  @Test("[OP-PING-1] [OP-STATUS-1] locked: nothing but ping and status is answered") func locked()
    throws
  {
    let service = try TestService()
    #expect(try service.status(.random, body: Self.random) == .locked)
    #expect(try service.status(.listKeys) == .locked)
    #expect(try service.status(.ping) == .ok)
    #expect(try service.status(.status, on: .operators) == .ok)
    try service.unlock()
    #expect(try service.status(.random, body: Self.random) == .ok)
    #expect { try service.unlock() } throws: { "\($0)" == "notLocked" }
  }

  @Test(
    "[WIRE-13] [WIRE-18] what is not granted is denied, on the record, and looks like a missing key"
  ) func denied() throws {
    let service = try TestService(grants: [try TestService.everything([.random, .describeKey])])
    try service.unlock()
    #expect(try service.status(.describe) == .denied)
    #expect(
      try service.status(.random, body: Self.random, from: Caller(uid: 1001, gid: 1001, pid: 2))
        == .denied)
    let missing = try service.call(.describeKey, key: KeyID(high: 1, low: 2))
    let keyless = try service.call(.describeKey)
    let forbidden = try service.call(.openPaymentToken, key: KeyID(high: 1, low: 2))
    for reply in [missing, keyless, forbidden] {
      #expect(reply.header.status == .denied && reply.body.isEmpty)
    }
    #expect(
      try service.operations().suffix(5) == [
        "describe", "random", "describe-key", "describe-key", "open-payment-token",
      ])
  }

  @Test(
    "root and the overflow id are nobody until a grant names them",
    arguments: [0, 65534] as [UInt32]) func specialCallers(_ uid: UInt32) throws
  {
    let grant = try Rule(
      id: "units", callers: CallerRule(groups: [Principal(id: 1000)], units: ["shop.service"]),
      operations: [.random], keys: [], released: [])
    let service = try TestService(grants: [grant])
    try service.unlock()
    #expect(
      try service.status(
        .random, body: Self.random, from: Caller(uid: 1000, gid: 1000, pid: 1, unit: "shop.service")
      ) == .ok)
    #expect(
      try service.status(
        .random, body: Self.random, from: Caller(uid: uid, gid: 1000, pid: 1, unit: "shop.service"))
        == .denied)
  }

  @Test("a used-up rate is busy, not denied") func rate() throws {
    let limited = try Rule(
      id: "slow", callers: CallerRule(users: [Principal(id: 1000)]), operations: [.random],
      keys: [], released: [], showsStage: false,
      rate: Rate("2/s"))
    let service = try TestService(grants: [limited])
    try service.unlock()
    #expect(
      try (0..<3).map { _ in try service.status(.random, body: Self.random) } == [.ok, .ok, .busy])
    service.clock.now = service.clock.now.adding(seconds: 1)
    #expect(try service.status(.random, body: Self.random) == .ok)
  }

  @Test(
    "[WIRE-11] a disk that fails once: the reply is withheld, and nothing is served for ever after",
    arguments: SimulatedDisk.Fault.allCases, [5, 28, 30])  // EIO, ENOSPC, EROFS
  func auditUnavailable(_ fault: SimulatedDisk.Fault, _ errno: Int32) throws {
    let service = try TestService()
    try service.unlock()
    #expect(try service.status(.random, body: Self.random) == .ok)
    service.disk.fail(call: service.disk.changingCalls, fault, errno: errno)
    func verifierKey() throws -> String {
      let body = try service.call(.status, on: .operators).body
      let reader = MessageReader(body.span)
      return try StatusReport(reader).auditVerifierKey
    }
    let verifier = try verifierKey()
    let refused = try service.call(.random, body: Self.random)
    #expect(refused.header.status == .auditUnavailable)
    // With it the operator checks what the log has.
    #expect(try verifierKey() == verifier && !verifier.isEmpty)
    #expect(refused.header.auditSequence == ReplyHeader.unaudited)
    #expect(refused.body.isEmpty)
    // The disk is well again, and is not believed.
    #expect(try service.status(.random, body: Self.random) == .auditUnavailable)
    #expect(try service.status(.ping) == .ok)
    #expect(try service.status(.status, on: .operators) == .ok)
    #expect(service.service.stop() == false)

    // What was acknowledged is there after a crash; what was not may be, whole, or not.
    let again = try TestService(on: service.disk.afterCrash(.losesUnsynced))
    try again.unlock()
    let random = try again.operations().count { $0 == "random" }
    #expect(random == (fault == .doneButError ? 2 : 1) || random == 1)
  }

  @Test("a request that outlives its unlocking is answered locked, and harms no later one")
  func lockedMeanwhile() throws {
    let service = try TestService()
    try service.unlock()
    var exchange = try service.service.exchange(with: TestService.caller, on: .services)
    let bytes = TestService.frame(.random, body: Self.random)
    let span = bytes.span
    try exchange.serve(span)
    #expect(try service.status(.lock, on: .operators) == .ok)
    try service.unlock()
    let reply = try TestService.reply(exchange.replies())
    #expect(reply.header.status == .locked && reply.body.isEmpty)
    #expect(try service.status(.random, body: Self.random) == .ok)
  }

  @Test(
    "[OP-STATUS-2] a full disk: nothing is served, status answers, and it goes on by itself once there is space"
  ) func fullDisk() throws {
    let service = try TestService()
    try service.unlock()
    func condition() throws -> String {
      let body = try service.call(.status, on: .operators).body
      let reader = MessageReader(body.span)
      return try StatusReport(reader).auditCondition
    }
    #expect(try condition() == "ample")
    service.disk.fill(to: service.disk.usedBytes)
    // To the end of what the segment has room for, many in each batch.
    var batches = 0
    while service.service.stateName == "serving", batches < 50 {
      var exchange = try service.service.exchange(with: TestService.caller, on: .services)
      let frame = TestService.frame(.random, body: Self.random)
      for _ in 0..<200 { try exchange.serve(frame.span) }
      _ = exchange.replies()
      batches += 1
    }
    #expect((2..<50).contains(batches))
    #expect(try condition() == "full")
    #expect(service.service.stateName == "audit-unavailable")
    #expect(try service.status(.random, body: Self.random) == .auditUnavailable)
    #expect(try service.status(.ping) == .ok)

    service.disk.fill(to: nil)
    #expect(try service.status(.random, body: Self.random) == .ok)
    #expect(try condition() == "ample")
    #expect(service.service.stateName == "serving")
    #expect(try service.operations().suffix(3) == ["log-full", "log-resumed", "random"])
    #expect(service.service.stop())
  }

  @Test(
    "a full disk is told once, and once that the log goes on, however many requests were in hand")
  func fullDiskTold() throws {
    let told = Locked<[ServiceEvent]>([])
    let service = try TestService(adjust: {
      $0.report = { event in told.withLock { $0.append(event) } }
    })
    try service.unlock()
    for _ in 0..<2 {
      told.withLock { $0 = [] }
      service.disk.fill(to: service.disk.usedBytes)
      for _ in 0..<50 where service.service.stateName == "serving" {
        // Begun before the disk is full.
        var first = try service.service.exchange(with: TestService.caller, on: .services)
        var second = try service.service.exchange(with: TestService.caller, on: .services)
        let frame = TestService.frame(.random, body: Self.random)
        for _ in 0..<200 { try first.serve(frame.span) }
        for _ in 0..<200 { try second.serve(frame.span) }
        _ = first.replies()
        _ = second.replies()
      }
      service.disk.fill(to: nil)
      for _ in 0..<3 { #expect(try service.status(.random, body: Self.random) == .ok) }
      let (full, resumed) = told.withLock { events in
        (
          events.count { if case .auditFull = $0 { true } else { false } },
          events.count { if case .auditResumed = $0 { true } else { false } }
        )
      }
      #expect(full == 1 && resumed == 1)
    }
  }

  @Test("an operator can take the keys back while the disk is full, on the record")
  func lockedWhileFull() throws {
    let service = try TestService()
    try service.unlock()
    service.disk.fill(to: service.disk.usedBytes)
    while service.service.stateName == "serving" {
      var exchange = try service.service.exchange(with: TestService.caller, on: .services)
      let frame = TestService.frame(.random, body: Self.random)
      for _ in 0..<200 { try exchange.serve(frame.span) }
      _ = exchange.replies()
    }
    #expect(try service.status(.lock, on: .operators) == .ok)
    #expect(service.service.stateName == "locked")
    #expect(try service.operations().suffix(4) == ["log-full", "lock", "key-store-locked", "stop"])
  }

  @Test("a new log begins with the ceremony that made its store, and goes on with itself")
  func genesis() throws {
    let genesis = SHA256.hash([1])
    let first = try TestService(adjust: { $0.audit.genesis = genesis })
    try first.unlock()
    func beginning(_ service: TestService) throws -> Digest256? {
      var previous: Digest256?
      try LogReader(LogDirectory("/audit", on: service.disk)).forEachRecord { record, _ in
        previous = record.previous
        return false
      }
      return previous
    }
    #expect(try beginning(first) == genesis)
    let again = try TestService(
      on: first.disk.afterCrash(.keepsUnsynced),
      adjust: { $0.audit.genesis = SHA256.hash([2]) })
    try again.unlock()
    #expect(try beginning(again) == genesis)
  }

  @Test("what is refused before there is a log is counted, and the unlocking says how much")
  func refusedWhileLocked() throws {
    let service = try TestService()
    let passphrase: [UInt8] = [0x0A, 5] + Array("wrong".utf8)
    // On the services' socket, and without a right passphrase.
    for _ in 0..<2 { #expect(try service.status(.status) == .denied) }
    #expect(try service.status(.unlock, body: passphrase, on: .operators) == .rejected)
    // What has nothing to work with, but not who only asks whether it is so.
    #expect(try service.status(.random, body: Self.random) == .locked)
    #expect(try service.status(.lock, on: .operators) == .locked)
    #expect(try service.status(.ready) == .locked)
    func unlockings() throws -> [[CanonicalJSON.Member]] {
      var found: [[CanonicalJSON.Member]] = []
      try LogReader(LogDirectory("/audit", on: service.disk)).forEachRecord { record, _ in
        if record.operation == "key-store-unlocked" { found.append(record.event) }
        return true
      }
      return found
    }
    try service.unlock()
    let first: [CanonicalJSON.Member] = [
      .init("by", .string("credential")), .init("refused", .integer(5)),
    ]
    #expect(try unlockings() == [first])
    // With a log, a refusal is a record of its own.
    let again = try service.call(.unlock, body: passphrase, on: .operators)
    #expect(again.header.status == .rejected)
    #expect(try service.operations().last == "unlock")
    #expect(try service.status(.lock, on: .operators) == .ok)
    try service.unlock()
    #expect(try unlockings() == [first, [.init("by", .string("credential"))]])
  }

  @Test(
    "a clock that is set goes on the record, once, with how far",
    arguments: [-86_400, -2, 2, 86_400 * 400] as [Int64])
  func clockStep(_ seconds: Int64) throws {
    let said = Locked<[Int64]>([])
    let service = try TestService(adjust: { settings in
      settings.report = { event in
        if case .clockStep(let microseconds) = event { said.withLock { $0.append(microseconds) } }
      }
    })
    try service.unlock()
    #expect(try service.status(.random, body: Self.random) == .ok)
    service.clock.now = service.clock.now.adding(seconds: 3600)
    #expect(try service.status(.random, body: Self.random) == .ok)
    #expect(try !service.operations().contains("clock-step"))
    service.clock.step(seconds: seconds)
    let reply = try service.call(.random, body: Self.random)
    #expect(reply.header.status == .ok)
    #expect(try service.status(.random, body: Self.random) == .ok)
    let operations = try service.operations()
    #expect(operations.suffix(3) == ["random", "clock-step", "random"])
    #expect(operations[Int(reply.header.auditSequence)] == "random")
    #expect(said.withLock { $0 } == [seconds * 1_000_000], "the journal has it, too")
  }

  @Test(
    "a clock that is set before a stop or a lock, with no request in between, is on the record",
    arguments: [true, false], [-86_400, 86_400] as [Int64])
  func clockStepAtTheEnd(_ isStop: Bool, _ seconds: Int64) throws {
    let service = try TestService()
    try service.unlock()
    service.clock.step(seconds: seconds)
    if isStop {
      #expect(service.service.stop())
    } else {
      #expect(try service.status(.lock, on: .operators) == .ok)
    }
    #expect(try service.operations().suffix(2) == ["clock-step", "stop"])
    #expect(try service.operations().count { $0 == "clock-step" } == 1)
  }

  @Test(
    "the log's file removed, cut or replaced: the next commit notices, and nothing more is served",
    arguments: ["removed", "cut", "replaced"])
  func displacedLog(_ how: String) throws {
    let service = try TestService()
    try service.unlock()
    #expect(try service.status(.random, body: Self.random) == .ok)
    let name = try #require(try service.disk.list("/audit").first { $0.hasSuffix(".log") })
    let bytes = try #require(service.disk.contents("/audit/" + name))
    switch how {
    case "removed": service.disk.unplant("/audit/" + name)
    case "cut": service.disk.plant("/audit/" + name, Array(bytes.prefix(100)))
    default: service.disk.substitute("/audit/" + name, bytes)
    }
    #expect(try service.status(.random, body: Self.random) == .auditUnavailable)
    #expect(try service.status(.random, body: Self.random) == .auditUnavailable)
    #expect(try service.status(.status, on: .operators) == .ok)
    #expect(service.service.stop() == false)
  }

  @Test("uses are counted once their record is durable, and found again after a crash")
  func operationsOnRecord() throws {
    let service = try TestService()
    try service.unlock()
    for _ in 0..<5 { #expect(try service.status(.random, body: Self.random) == .ok) }
    let again = try TestService(on: service.disk.afterCrash(.losesUnsynced))
    try again.unlock()
    #expect(try again.operations().count { $0 == "random" } == 5)
    #expect(try again.operations().contains("unclean-start"))
    #expect(again.service.stop())
    #expect(try again.operations().last == "stop")
  }
}
