import Audit
import Crypto
import Format
import Host
import KeyStore
import KistClient
import Operations
import Policy
import Review
import ServiceHarness
import TestSupport
import Testing

/// `record-drill`: keys rebuilt from a backup against the live ones.
@Suite struct DrillTests {
  private let test: TestService
  /// Every key of the service's, as a drill would send it.
  private let keys: [DrilledKey]
  private let kek: [UInt8]
  private static let label = "mac/one"

  init() throws {
    var keys: [DrilledKey] = []
    test = try TestService { store in
      for label in [Self.label, "mac/two"] {
        let material = KeyMaterial.symmetric(try Random.secret(count: 32))
        _ = try store.importKey(
          KeyImport(label: try #require(KeyLabel(label)), role: .macCMAC, material: material),
          at: TestService.start, anchor: .beginning)
      }
      keys = store.records.map { DrilledKey(id: $0.id.bytes, checkValue: $0.check.value) }
    }
    self.keys = keys
    let bytes = TestService.kek
    kek = try KeyCheckValue.aes(bytes.span).bytes
    try test.unlock()
  }

  private func ask(
    _ keys: [DrilledKey], kek: [UInt8]? = nil, on socket: SocketKind = .operators,
    after: [UInt8] = [], more: Bool = false
  ) throws -> (status: Status, body: [UInt8]) {
    var storage = [UInt8](repeating: 0, count: 1 << 16)
    var writer = MessageWriter(storage.mutableSpan)
    var request = RecordDrillRequest(generation: 7, kek: kek ?? self.kek, keys: keys)
    request.after = after
    request.more = more
    try request.encode(into: &writer)
    let count = writer.count
    let reply = try test.call(.recordDrill, body: Array(storage.prefix(count)), on: socket)
    return (reply.header.status, reply.body)
  }

  private func compare(_ keys: [DrilledKey]) throws -> RecordDrillReply {
    let body = try ask(keys).body
    let reader = MessageReader(body.span)
    return try RecordDrillReply(reader)
  }

  @Test(
    "[OP-DRILL-3] a large store's keys come in parts, each compared with its own part of the store alone"
  ) func parts() throws {
    let keys = keys.sorted { $0.id.lexicographicallyPrecedes($1.id) }
    func part(_ some: ArraySlice<DrilledKey>, after: [UInt8] = [], more: Bool = false) throws
      -> Drill?
    {
      try #require(try ask(Array(some), after: after, more: more).status == .ok)
      return try test.lastRecord()?.inputs.drill
    }
    func drill(_ matched: UInt64, missing: UInt64 = 0, isPart: Bool = true) -> Drill {
      Drill(
        generation: 7, matched: matched, missing: missing, different: 0, surplus: 0, isPart: isPart)
    }
    #expect(try part(keys[..<3], more: true) == drill(3))
    #expect(try part(keys[3...], after: keys[2].id) == drill(1))
    #expect(try part([], after: keys[2].id) == drill(0, missing: 1))
    #expect(try part(keys[2..<3], more: true) == drill(1, missing: 2))
    #expect(try part(keys[...]) == drill(4, isPart: false))
    #expect(try ask(Array(keys[2...]), after: keys[2].id).status == .rejected)
    #expect(try ask([], more: true).status == .rejected)
    #expect(try ask(Array(keys.reversed()), more: true).status == .rejected)
  }

  @Test("[OP-DRILL-1] every key is there: passed, on the record") func passed() throws {
    #expect(keys.count == 4)
    let reply = try compare(keys.reversed())
    #expect((reply.matched, reply.surplus) == (4, 0))
    #expect(reply.missing.isEmpty && reply.different.isEmpty)
    let drill = try #require(try test.lastRecord()?.inputs.drill)
    #expect(drill == Drill(generation: 7, matched: 4, missing: 0, different: 0, surplus: 0))
    #expect(drill.isPassed)
  }

  @Test(
    "[OP-DRILL-1] what is missing, another key or nobody's fails, by its label and on the record")
  func failed() throws {
    let live = try #require(keys.last)
    let other = DrilledKey(id: live.id, checkValue: [1, 2, 3, 4, 5])
    let nobodys = DrilledKey(id: [UInt8](repeating: 9, count: 16), checkValue: [1])
    let missing = try compare(Array(keys.dropLast()))
    #expect((missing.matched, missing.missing, missing.different) == (3, ["mac/two"], []))
    #expect(
      try test.lastRecord()?.inputs.drill
        == Drill(generation: 7, matched: 3, missing: 1, different: 0, surplus: 0))
    let different = try compare(keys.dropLast() + [other])
    #expect((different.matched, different.missing, different.different) == (3, [], ["mac/two"]))
    #expect(
      try test.lastRecord()?.inputs.drill
        == Drill(generation: 7, matched: 3, missing: 0, different: 1, surplus: 0))
    #expect(try compare(keys + [nobodys]).surplus == 1)
    #expect(try test.lastRecord()?.inputs.drill?.isPassed == false)
    #expect(try compare([]).missing == ["audit/digest", "audit/signing", "mac/one", "mac/two"])
    #expect(try test.lastRecord()?.inputs.drill?.isPassed == false)
  }

  @Test("[OP-DRILL-1] a key that was destroyed since may be in the backup, and need not")
  func destroyed() throws {
    let bytes = keys[3].id
    let id = KeyID(prefixOf: bytes.span) ?? .none
    let service = try TestService(on: test.disk.afterCrash(.keepsUnsynced)) { store in
      for state in [KeyState.retired, .destroyed] {
        try store.setState(state, of: id, at: TestService.start, anchor: store.anchor)
      }
    }
    try service.unlock()
    for rebuilt in [keys, Array(keys.dropLast())] {
      var storage = [UInt8](repeating: 0, count: 4096)
      var writer = MessageWriter(storage.mutableSpan)
      try RecordDrillRequest(generation: 7, kek: kek, keys: rebuilt).encode(into: &writer)
      let count = writer.count
      #expect(
        try service.status(.recordDrill, body: Array(storage.prefix(count)), on: .operators) == .ok)
      #expect(
        try service.lastRecord()?.inputs.drill
          == Drill(generation: 7, matched: 3, missing: 0, different: 0, surplus: 0))
    }
  }

  @Test(
    "[OP-DRILL-2] another store's key encryption key, a key that stands twice, and the wrong socket are refused"
  ) func refused() throws {
    let otherKEK = try ask(keys, kek: [1, 2, 3, 4, 5])
    #expect(try (otherKEK.status, stage(otherKEK.body)) == (.rejected, .otherKEK))
    #expect(try test.lastRecord()?.inputs.drill == nil)
    let twice = try ask(keys + [keys[0]])
    #expect(try (twice.status, stage(twice.body)) == (.rejected, .format))
    #expect(try ask(keys, on: .services).status == .denied)
  }

  private func stage(_ body: [UInt8]) throws -> Stage {
    let reader = MessageReader(body.span)
    return try Rejection(reader).stage
  }
}
