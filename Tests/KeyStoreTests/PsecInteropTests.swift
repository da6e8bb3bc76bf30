import Ceremony
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import KeyStore

/// A store for `Tests/interop/psec_blocks.py` to recover without any of our code.
@Suite struct PsecInteropStoreTests {
  struct Expected: Encodable {
    let kek: String
    /// Key data by id.
    let keys: [String: String]
    /// What left for another HSM.
    let exported: [Exported]
  }

  struct Exported: Encodable { let kbpk, key, block, usage: String }

  /// A block that psec made; those for a store say what they are to be there.
  struct Sent: Decodable {
    let kbpk, key, block: String
    let role: String?
  }

  private let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("interop/psec_blocks.json")

  /// [KS-IMPORT-BLOCK] [KS-BLOCK-OLD] Keys of psec's come in under their exchange keys, A to C only
  /// where each is allowed by name.
  @Test func keysThatPsecSentComeIn() throws {
    try #require(TestArena.ready)
    let exchange = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"].map {
      URL(fileURLWithPath: $0).appendingPathComponent("psec-blocks.json")
    }
    let rows = try JSONDecoder().decode([Sent].self, from: Data(contentsOf: exchange ?? fixture))
      .filter { $0.role != nil }
    let scene = try Scene()
    try scene.create()
    let store = try scene.unlock()
    for (number, row) in rows.enumerated() {
      let role = try #require(row.role.flatMap { KeyRole(rawValue: $0) }),
        text = Array(row.block.utf8)
      let version = try #require(KeyBlockVersion(rawValue: text[0]))
      let kek = try Self.take(
        Self.decoded(row.kbpk), version == .d ? .keyExchange : .keyExchangeTDEA, "kek/\(number)",
        nil, store)
      let opened = try kek.open(block: text.span, allowing: [version])
      let slot = try Self.take(opened.key.bytes.array, role, "key/\(number)", opened.header, store)
      #expect(try plain(slot.serialised()) == Self.decoded(row.key), "\(row.block)")
      guard version != .d else { continue }
      let allButThis = Set(KeyBlockVersion.allCases).subtracting([version])
      for allowed in [[], allButThis] {
        #expect(throws: KeyStoreError.importRefused(.block)) {
          _ = try kek.open(block: text.span, allowing: allowed)
        }
      }
    }
    #expect(rows.count == 11)
  }

  private static func decoded(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

  private static func take(
    _ key: [UInt8], _ role: KeyRole, _ label: String, _ header: KeyBlockHeader?, _ store: KeyStore,
    exportable: Bool = false
  ) throws
    -> KeySlot
  {
    let otp: OTPAttributes? =
      switch role.otpKind {
      case .visa: .visa(keySet: "1")
      case .time: .code(try #require(OTPCode(step: 30, window: 1)))
      case .mastercard, .counter, nil: nil
      }
    let request = KeyImport(
      label: try #require(KeyLabel(label)), role: role,
      material: try KeyMaterial(keyData: key.span, for: role), otp: otp, isExportable: exportable,
      from: header)
    let id = try store.importKey(request, at: Scene.now, anchor: Scene.anchor(1)).id
    return try #require(store.table.value.slots[id])
  }

  /// A block for each sort of key that can leave.
  private static func exported(_ store: KeyStore) throws -> [Exported] {
    let kbpk = (0..<32).map { UInt8(0x40 + $0) }
    let kek = try take(kbpk, .keyExchange, "bank/exchange", nil, store)
    let rows: [(KeyRole, [UInt8])] = [
      (.sealing, kbpk.reversed()), (.macHMACSHA512, kbpk + kbpk), (.macCMAC, kbpk.reversed()),
      (.otpVisa, Array(kbpk.prefix(16))),
      (.otpTOTP, Array(kbpk.prefix(20))), (.keyExchangeTDEA, Array(kbpk.prefix(16))),
      (.keyExchange, kbpk.reversed()),
      (.agreement, try plain(PrivateKey.generate(.p384).serialised())),
      (.signingRSA, try plain(PrivateKey.generate(.rsa(bits: 4096)).serialised())),
    ]
    return try rows.map { role, key in
      let slot = try take(key, role, "leaves/\(role.rawValue)", nil, store, exportable: true)
      let block = try slot.block(under: kek)
      return Exported(
        kbpk: Hex.encode(kbpk), key: Hex.encode(key), block: String(decoding: block, as: UTF8.self),
        usage: slot.record.usage)
    }
  }

  @Test func aStoreForPsec() throws {
    try #require(TestArena.ready)
    guard let exchange = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"] else {
      return try withTemporaryDirectory(make)
    }
    try make(exchange)
  }

  private func make(_ parent: String) throws {
    let passphrase = PassphraseTests.passphrase
    let cost = try #require(PassphraseCost(passes: 1, memory: 64 << 10))
    let locked = try LockedKeyStore.create(
      "keys", in: parent, kek: Scene.kek(), passphrase: passphrase.span, cost: cost,
      kind: .rehearsal, at: Scene.now)
    let store = try locked.unlock(kek: Scene.kek(), expecting: .rehearsal)
    let rsa = try PrivateKey.generate(.rsa(bits: 2048))
    let request = KeyImport(
      label: try #require(KeyLabel("merchant/acme/rsa")), role: .merchantProcessingRSA,
      material: .privateKey(rsa),
      merchant: MerchantIdentifier(Fixture.merchant))
    let ecID = try store.importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1)).id
    let rsaID = try store.importKey(request, at: Scene.now, anchor: Scene.anchor(2)).id
    #expect(store.records.count == 4)
    let exported = try Self.exported(store)
    let expected = Expected(
      kek: try Hex.encode(plain(Scene.kek())),
      keys: [
        ecID.hex: try Hex.encode(plain(Fixture.ecKey().serialised())),
        rsaID.hex: try Hex.encode(plain(rsa.serialised())),
      ],
      exported: exported)
    try JSONEncoder().encode(expected).write(
      to: URL(fileURLWithPath: parent).appendingPathComponent("expected.json"))
  }
}
