import Audit
import Format
import Host
import KeyStore
import Operations
import Policy
import ServiceHarness
import Testing

@Suite struct KeyIDTests {
  /// They are answered whether or not there are keys to look among.
  private static let blind: Set<Opcode> = [
    .ping, .ready, .status, .metrics, .unlock, .lock, .submitShare, .shareProgress,
  ]

  @Test(
    "[WIRE-26] an operation that takes no key is denied with one, unless it does not look",
    arguments: Opcode.allCases.filter { $0.keyUse == .never })
  func surplus(_ opcode: Opcode) throws {
    var key = KeyID.none
    let test = try TestService(
      grants: [TestService.everything()],
      prepare: { store in
        let secret = [UInt8](repeating: 7, count: 32)
        let label = try #require(KeyLabel("merchant/mac"))
        let taken = KeyImport(
          label: label, role: .macCMAC, material: .symmetric(try SecretBuffer(copying: secret.span))
        )
        key = try store.importKey(taken, at: TestService.start, anchor: .beginning).id
      })
    try test.unlock()
    let socket: SocketKind = opcode.isForOperators ? .operators : .services
    let status = try test.call(opcode, key: key, on: socket).header.status
    #expect((status == .denied) == !Self.blind.contains(opcode), "\(status)")
    #expect(try test.call(opcode, on: socket).header.status != .denied)
  }
}
