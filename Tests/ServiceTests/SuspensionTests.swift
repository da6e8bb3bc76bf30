import Format
import Host
import KeyStore
import KistClient
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

/// [KS-SUSPEND] [OP-STATE-3] The emergency stop of a key.
@Suite struct SuspensionTests {
  private let test: TestService
  private let scene: [KeyID]

  /// The life that a key has had before it is suspended.
  private static let lives: [[Opcode]] = [[], [.activateKey], [.activateKey, .retireKey]]

  init() throws {
    var ids: [KeyID] = []
    test = try TestService { store in
      for number in Self.lives.indices {
        let label = try #require(KeyLabel("merchant/acme/\(number)"))
        let key = KeyImport(
          label: label, role: .sealing, material: .symmetric(try SecretBuffer(count: 32)),
          activates: false, isExportable: true)
        ids.append(try store.importKey(key, at: TestService.start, anchor: .beginning).id)
      }
    }
    scene = ids
    try test.unlock()
    for (id, life) in zip(ids, Self.lives) {
      for opcode in life { #expect(try ask(opcode, id) == .ok) }
    }
  }

  private func ask(_ opcode: Opcode, _ key: KeyID, _ body: [UInt8] = []) throws -> Status {
    try test.call(opcode, key: key, body: body, on: .operators).header.status
  }

  private func state(_ id: KeyID) throws -> String {
    let body = try test.call(.describeKey, key: id).body
    return try KeyDescription(MessageReader(body.span)).state
  }

  @Test(
    "a suspended key serves nothing, is known as such after a restart, and resumed it is what it was",
    arguments: lives.indices)
  func stops(_ number: Int) throws {
    let id = scene[number]
    let before = try state(id)
    #expect(try ask(.suspendKey, id) == .ok)
    #expect(try state(id) == "suspended")
    let sealing = try Body.seal([1])
    #expect(try ask(.seal, id, sealing) == .denied)
    #expect(try ask(.unseal, id, Body.unseal([1])) == .denied)
    #expect(
      try ask(
        .exportKey, id,
        written(atMost: 64) { try ExportKeyRequest(exchangeKey: id.bytes).encode(into: &$0) })
        == .denied)
    try test.reopenedStore { store in
      let record = try #require(store.record(for: id))
      #expect(record.state == .suspended && record.suspended == TestService.start)
      #expect(record.persons[.suspended] == Persons(asked: TestService.caller.uid))
    }
    #expect(try ask(.resumeKey, id) == .ok)
    #expect(try state(id) == before)
    #expect(try test.reopenedStore { $0.record(for: id)?.suspended } == nil)
    #expect(try ask(.seal, id, sealing) == (before == "active" ? .ok : .denied))
    #expect(
      try test.operations().filter { $0.hasPrefix("key-") }.suffix(2) == [
        "key-suspended", "key-resumed",
      ])
  }

  @Test("a suspended key goes nowhere but back, or to its end", arguments: lives.indices)
  func wayOut(_ number: Int) throws {
    let id = scene[number]
    #expect(try ask(.suspendKey, id) == .ok)
    for opcode in [Opcode.suspendKey, .activateKey, .retireKey, .destroyKey] {
      #expect(try ask(opcode, id) == .rejected, "\(opcode)")
    }
    #expect(try state(id) == "suspended")
    #expect(try ask(.compromiseKey, id) == .ok)
    #expect(try test.reopenedStore { $0.record(for: id)?.suspended } == nil)
    for opcode in [Opcode.suspendKey, .resumeKey] {
      #expect(try ask(opcode, id) == .rejected, "\(opcode)")
    }
    #expect(try ask(.destroyKey, id) == .ok)
    #expect(try ask(.resumeKey, id) == .denied)
  }

  @Test("what is not suspended is not resumed; services can do neither") func refused() throws {
    for id in scene { #expect(try ask(.resumeKey, id) == .rejected) }
    for opcode in [Opcode.suspendKey, .resumeKey] {
      #expect(try test.call(opcode, key: scene[1]).header.status == .denied)
      #expect(try ask(opcode, KeyID(high: 1, low: 2)) == .denied)
      #expect(try ask(opcode, scene[1], [0x08, 1]) == .malformed)
    }
    #expect(try state(scene[1]) == "active")
  }
}
