import Audit
import Crypto
import Format
import Host
import KeyStore
import KistClient
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// `export-key` and `import-block` through the whole service.
@Suite struct KeyExchangeServiceTests {
  private static let kbpk = [UInt8](repeating: 0x51, count: 32)
  private static let key = (0..<32).map { UInt8($0) }

  /// A service with an exchange key and keys that may leave, or not, by label; and grants on all
  /// keys below `covered`.
  private final class Scene {
    let service: TestService
    private(set) var ids: [String: KeyID] = [:]

    static func grant(_ covered: [String] = ["key/*", "bank/*"]) throws -> Rule {
      try Rule(
        id: "officers", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
        operations: [.exportKey, .importBlock],
        keys: covered.compactMap { KeyPattern($0) }, showsStage: true)
    }

    init(covered: [String] = ["key/*", "bank/*"]) throws {
      let grant = try Self.grant(covered)
      var ids: [String: KeyID] = [:]
      service = try TestService(grants: [grant]) { store in
        let rows: [(String, KeyRole, [UInt8], Bool, Bool)] = [
          ("bank/exchange", .keyExchange, kbpk, false, true),
          ("bank/old", .keyExchangeTDEA, oldKBPK, false, true),
          ("bank/waiting", .keyExchange, key, false, false),
          ("key/free", .sealing, key, true, true), ("key/kept", .macCMAC, key, false, true),
        ]
        for (label, role, bytes, exportable, active) in rows {
          let request = KeyImport(
            label: try #require(KeyLabel(label)), role: role,
            material: try KeyMaterial(keyData: bytes.span, for: role), activates: active,
            isExportable: exportable)
          ids[label] = try store.importKey(request, at: TestService.start, anchor: .beginning).id
        }
      }
      self.ids = ids
      try service.unlock()
    }

    func id(_ label: String) -> KeyID { ids[label] ?? KeyID(high: 9, low: 9) }

    /// `ok`, a status, or a rejection's stage; and the reply's body.
    func ask(_ opcode: Opcode, _ key: String, _ body: [UInt8], on socket: SocketKind = .operators)
      throws -> (text: String, body: [UInt8])
    {
      let reply = try service.call(opcode, key: id(key), body: body, on: socket)
      guard reply.header.status == .rejected else { return (reply.header.status.name, reply.body) }
      return (try Rejection(MessageReader(reply.body.span)).stage.name, [])
    }

    func export(_ key: String, under kek: String, on socket: SocketKind = .operators) throws -> (
      text: String, body: [UInt8]
    ) {
      try ask(
        .exportKey, key,
        Self.body { (writer) throws(WireError) in
          try ExportKeyRequest(exchangeKey: self.id(kek).bytes).encode(into: &writer)
        }, on: socket)
    }

    func take(
      _ block: [UInt8], under kek: String, as label: String = "key/new", _ role: KeyRole = .sealing,
      exportable: Bool = false,
      otp: OTPParameters = OTPParameters()
    ) throws -> String {
      let body = try Self.body { (writer) throws(WireError) in
        var request = ImportKeyRequest()
        request.label = label
        request.role = role.rawValue
        request.privateKey = block.span
        request.activate = true
        request.otp = otp
        request.exportable = exportable
        try request.encode(into: &writer)
      }
      return try ask(.importBlock, kek, body).text
    }

    private static func body(_ encode: (inout MessageWriter) throws(WireError) -> Void) throws
      -> [UInt8]
    {
      var storage = [UInt8](repeating: 0, count: 18 << 10)
      var writer = MessageWriter(storage.mutableSpan)
      try encode(&writer)
      let count = writer.count
      return Array(storage.prefix(count))
    }
  }

  private static func block(
    _ exportability: Exportability = .exportable, _ algorithm: KeyBlockAlgorithm = .aes
  ) throws -> [UInt8] {
    let header = try KeyBlockHeader(
      usage: .dataEncryption, algorithm: algorithm, mode: .encryptDecrypt,
      exportability: exportability)
    return try KeyBlock.wrap(key: key.span, header: header, kbpk: kbpk.span)
  }

  @Test(
    "[OP-EXPORT-1] [OP-EXPORT-2] a key leaves for the holder of an exchange key, on the record with both"
  ) func leaves() throws {
    let scene = try Scene()
    let reply = try scene.export("key/free", under: "bank/exchange")
    #expect(reply.text == "ok")
    let block = try ExportKeyReply(MessageReader(reply.body.span)).block
    let opened = try KeyBlock.unwrap(Array(block.utf8).span, kbpk: Self.kbpk.span)
    #expect(opened.key.bytes.array == Self.key && opened.header.exportability == .nonExportable)
    let record = try #require(try scene.service.lastRecord())
    #expect(
      record.operation == "export-key" && record.key == scene.id("key/free")
        && record.furtherKeys == [scene.id("bank/exchange")])
  }

  @Test("[OP-EXPORT-1] [OP-EXPORT-2] nothing else leaves") func refused() throws {
    let scene = try Scene()
    #expect(try scene.export("key/kept", under: "bank/exchange").text == "key-export")
    #expect(try scene.export("bank/exchange", under: "bank/exchange").text == "key-export")
    for kek in ["key/kept", "bank/old", "bank/waiting", "bank/none"] {
      #expect(try scene.export("key/free", under: kek).text == "denied", "\(kek)")
    }
    #expect(try scene.export("key/none", under: "bank/exchange").text == "denied")
    #expect(try scene.export("key/free", under: "bank/exchange", on: .services).text == "denied")
    for body in [[], [0x0A, 1, 1]] as [[UInt8]] {
      #expect(try scene.ask(.exportKey, "key/free", body).text == "malformed")
    }
  }

  @Test(
    "[OP-EXPORT-1] [KS-USE-FURTHER] the grant covers both keys, or nothing leaves",
    arguments: [["key/*"], ["bank/*"], ["key/kept", "bank/*"], ["key/*", "bank/old"]])
  func bothAreGranted(_ covered: [String]) throws {
    #expect(try Scene(covered: covered).export("key/free", under: "bank/exchange").text == "denied")
  }

  @Test("[OP-BLOCK-1] a key comes in under an exchange key, once by each label") func comes() throws
  {
    let scene = try Scene()
    let block = try Self.block()
    #expect(try scene.take(block, under: "bank/exchange", exportable: true) == "ok")
    let operations = try scene.service.operations().suffix(2)
    #expect(Array(operations) == ["import-block", "key-imported"])
    #expect(try scene.take(block, under: "bank/exchange") == "key-import")
    #expect(try scene.take(block, under: "bank/exchange", as: "key/other") == "ok")
  }

  @Test("[OP-IMPORT-2] no key comes in whose label the grant does not cover") func othersLabels()
    throws
  {
    let scene = try Scene()
    let block = try Self.block()
    for label in ["merchant/acme", "key", "keys/other"] {
      #expect(try scene.take(block, under: "bank/exchange", as: label) == "denied")
    }
    #expect(try scene.take(block, under: "bank/exchange", as: "bank/other") == "ok")
  }

  @Test("[OP-BLOCK-1] [OP-BLOCK-2] what does not open, or is for something else, stays outside")
  func stays() throws {
    let scene = try Scene()
    let block = try Self.block()
    for (kek, stage) in [
      ("bank/old", "key-block"), ("bank/waiting", "denied"), ("key/free", "denied"),
      ("bank/none", "denied"),
    ] {
      #expect(try scene.take(block, under: kek) == stage, "\(kek)")
    }
    var changed = block
    changed[block.count - 1] =
      block[block.count - 1] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    for text in [changed, [], Array(block.dropLast()), Array("E".utf8) + block.dropFirst()] {
      #expect(try scene.take(text, under: "bank/exchange") == "key-block")
    }
    for role in [KeyRole.surrogate, .macCMAC, .keyExchange, .otpTOTP] {
      #expect(try scene.take(block, under: "bank/exchange", role) == "key-import", "\(role)")
    }
    #expect(
      try scene.take(try Self.block(.nonExportable), under: "bank/exchange", exportable: true)
        == "key-import")
    #expect(try scene.take(try Self.block(.nonExportable), under: "bank/exchange") == "ok")
  }

  /// psec's, of version B; its KBPK is `oldKBPK`.
  private static let oldBlock =
    "B0096D0TE00E0000ACE4543170B1BF0180AA19065EE72CAD907C6EE7ACA101C70E715E40BA5DFADD041AF3456DB857A2"
  private static let oldKBPK = (0..<16).map { UInt8(8 + 7 * $0) }

  @Test(
    "[OP-BLOCK-2] old versions come only where the configuration names them, from the next request on"
  ) func oldVersions() throws {
    let scene = try Scene()
    let block = Array(Self.oldBlock.utf8)
    var visa = OTPParameters()
    visa.keySet = "123456.1"
    #expect(try scene.take(block, under: "bank/old", .otpVisa, otp: visa) == "key-block")
    for (versions, stage) in [([.a, .c], "key-block"), ([.b], "ok")]
      as [(Set<KeyBlockVersion>, String)]
    {
      let rules = Rules(
        try Policy([Scene.grant()]), freshness: MerchantWindows(general: 300), oldBlocks: versions,
        configurationHash: SHA256.hash([]))
      try scene.service.service.reload(rules)
      #expect(try scene.take(block, under: "bank/old", .otpVisa, otp: visa) == stage)
    }
  }
}
