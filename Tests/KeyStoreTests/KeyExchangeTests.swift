import Crypto
import Format
import Host
import Policy
import TestSupport
import Testing

@testable import KeyStore

/// Keys to and from another HSM; psec's blocks and ours are compared in `PsecInteropStoreTests`.
@Suite struct KeyExchangeTests {
  let store: KeyStore
  let scene: Scene
  static let kbpk = (0..<32).map { UInt8(0x40 + $0) }
  static let bytes = (0..<64).map { UInt8($0) &* 5 &+ 3 }

  init() throws {
    scene = try Scene()
    try scene.create()
    store = try scene.unlock()
  }

  private func slot(_ id: KeyID) throws -> KeySlot { try #require(store.table.value.slots[id]) }

  private func take(
    _ role: KeyRole, _ key: [UInt8], label: String? = nil, until end: Timestamp? = nil,
    useLimit: UInt64? = nil, otp: OTPAttributes? = nil,
    exportable: Bool = false,
    from header: KeyBlockHeader? = nil
  ) throws -> KeySlot {
    let material = try KeyMaterial(keyData: key.span, for: role)
    let label = try #require(KeyLabel(label ?? "x/\(role.rawValue)"))
    let record = try store.importKey(
      KeyImport(
        label: label, role: role, material: material,
        merchant: role.isMerchant ? MerchantIdentifier(Fixture.merchant) : nil, notAfter: end,
        useLimit: useLimit, otp: otp, isExportable: exportable, from: header),
      at: Scene.now, anchor: Scene.anchor(1))
    return try slot(record.id)
  }

  private func exchangeKey(_ key: [UInt8] = Self.kbpk) throws -> KeySlot {
    try take(.keyExchange, key, label: "bank/exchange")
  }

  private func header(
    _ usage: HeaderCode, _ algorithm: KeyBlockAlgorithm, _ mode: ModeOfUse,
    _ exportability: Exportability = .exportable, version: KeyVersion = .unused,
    blocks: [OptionalBlock] = []
  ) throws -> KeyBlockHeader {
    try KeyBlockHeader(
      usage: usage, algorithm: algorithm, mode: mode, keyVersion: version,
      exportability: exportability, optionalBlocks: blocks)
  }

  // Leaving

  static func ecKey() throws -> [UInt8] {
    let der = try Fixture.ecKey().serialised()
    return plain(der)
  }

  /// [KS-EXCHANGE-BLOCK] Key, use and nothing that is only our business; nobody may pass it on.
  @Test(arguments: [
    (KeyRole.sealing, 32, [HeaderCode.protectionKeyCheckValue, .keyCheckValue]),
    (.macHMACSHA384, 48, [.hashAlgorithm, .protectionKeyCheckValue, .padding]),
    (.otpVisa, 16, [.protectionKeyCheckValue]),
    (.merchantProcessingEC, 0, [.protectionKeyCheckValue]),
  ])
  func anExportableKeyLeaves(_ role: KeyRole, _ count: Int, _ blocks: [HeaderCode]) throws {
    let key = role == .merchantProcessingEC ? try Self.ecKey() : Array(Self.bytes.prefix(count))
    let kek = try exchangeKey()
    let slot = try take(
      role, key, otp: role == .otpVisa ? .visa(keySet: "1") : nil, exportable: true)
    let block = try slot.block(under: kek)
    let opened = try KeyBlock.unwrap(block.span, kbpk: Self.kbpk.span)
    let header = opened.header
    #expect(
      BlockUse(header) == role.blockUse && header.exportability == .nonExportable
        && header.keyVersion == .unused)
    #expect(header.optionalBlocks.map(\.id) == blocks)
    #expect(
      header.optionalBlock(.protectionKeyCheckValue)
        == .check(ofProtectionKey: try KeyCheckValue.aes(Self.kbpk.span)))
    #expect(opened.key.bytes.array == key)
  }

  /// [KS-EXPORTABLE] [KS-EXCHANGE-KEY]
  @Test func nothingElseLeaves() throws {
    let kek = try exchangeKey()
    let kept = try take(.sealing, Array(Self.bytes.prefix(32)))
    let free = try take(.macCMAC, Array(Self.bytes.prefix(32)), exportable: true)
    let own = try take(
      .keyExchange, Array(Self.bytes.prefix(32)), label: "bank/own", exportable: true)
    let old = try take(.keyExchangeTDEA, Array(Self.bytes.prefix(16)))
    func refused(_ key: KeySlot, _ kek: KeySlot) -> Bool {
      refusal { () throws(KeyStoreError) in try key.block(under: kek) } == .exportRefused
    }
    #expect(
      refused(kept, kek) && refused(store.auditDigest, kek) && refused(store.auditSigning, kek))
    #expect(refused(free, kept) && refused(free, old) && refused(free, free) && refused(own, own))
    #expect(!refused(free, kek) && !refused(own, kek))
  }

  /// [KS-EXCHANGE-KEY]
  @Test func onlyAnActiveExchangeKeyServes() throws {
    let kek = try exchangeKey().record.id
    func serves(_ id: KeyID, at now: Timestamp = Scene.now) throws -> Bool {
      let grant = try Grant.test(.exportKey, nil)
      return refusal { () throws(KeyStoreError) in
        try store.furtherKey(id, of: .keyExchange, serving: .seal, for: grant, at: now)
      } == nil
    }
    #expect(try serves(kek))
    #expect(try !serves(take(.sealing, Array(Self.bytes.prefix(32))).record.id))
    #expect(try !serves(take(.keyExchangeTDEA, Array(Self.bytes.prefix(16))).record.id))
    let ending = try take(
      .keyExchange, Array(Self.bytes.suffix(32)), label: "bank/ending", until: Scene.later
    ).record.id
    #expect(
      try serves(ending, at: Scene.later) && !serves(ending, at: Scene.later.adding(seconds: 1)))
    try store.setState(.retired, of: kek, at: Scene.later, anchor: Scene.anchor(2))
    #expect(try !serves(kek) && !serves(.none))
  }

  /// [KS-USE-LIMIT]
  @Test func anExchangeKeysUsesAreCounted() throws {
    let limited = try take(.keyExchange, Self.kbpk, label: "bank/limited", useLimit: 2)
    let free = try exchangeKey(Array(Self.bytes.suffix(32)))
    for _ in 0..<2 { try store.countUse(of: limited) }
    #expect(throws: KeyStoreError.invocationsUsedUp) { try store.countUse(of: limited) }
    for _ in 0..<3 { try store.countUse(of: free) }
  }

  /// What people at a ceremony name is held to the same: state, period and uses.
  @Test func exchangeByLabel() throws {
    let limited = try take(
      .keyExchange, Self.kbpk, label: "bank/exchange", until: Scene.later, useLimit: 3
    ).record
    let out = try take(.sealing, Array(Self.bytes.prefix(32)), exportable: true).record.label
    let block = try store.block(of: out, under: limited.label, at: Scene.now)
    func opens(at now: Timestamp) -> KeyStoreError? {
      refusal { () throws(KeyStoreError) in
        _ = try store.open(block: block.span, under: limited.label, allowing: [], at: now)
        return true
      }
    }
    #expect(opens(at: Scene.later) == nil)
    #expect(opens(at: Scene.later.adding(seconds: 1)) == .wrongState(.retired))
    #expect(
      refusal { () throws(KeyStoreError) in
        try store.block(of: out, under: limited.label, at: Scene.later.adding(seconds: 1))
      } == .wrongState(.retired))
    #expect(opens(at: Scene.now) == nil)
    #expect(opens(at: Scene.now) == .invocationsUsedUp)
    try store.setState(.compromised, of: limited.id, at: Scene.later, anchor: Scene.anchor(2))
    #expect(opens(at: Scene.now) == .wrongState(.compromised))
  }

  /// [KS-STATE-USE] A key that is shared with somebody before it is used, and one that is done
  /// with.
  @Test func whenAKeyMayLeave() throws {
    let id = try take(.macCMAC, Array(Self.bytes.prefix(32)), exportable: true).record.id
    for (state, lent) in [(KeyState.active, true), (.retired, false)] {
      if state != .active {
        try store.setState(state, of: id, at: Scene.later, anchor: Scene.anchor(2))
      }
      let grant = try Grant.test(.exportKey, id)
      #expect(
        (refusal { () throws(KeyStoreError) in try store.key(for: grant, at: Scene.later) } == nil)
          == lent)
    }
    #expect(KeyState.preActive.serves(.exportKey) && !KeyState.destroyed.serves(.exportKey))
  }

  /// [KS-EXPORTABLE] The manifest and the block's header say the same, or the store does not open.
  @Test func exportabilityIsBoundToTheKey() throws {
    let free = try take(.sealing, Array(Self.bytes.prefix(32)), exportable: true).record
    let kept = try take(.macCMAC, Array(Self.bytes.prefix(32))).record
    let again = try scene.reopened()
    #expect(again.record(for: free.id) == free && free.isExportable)
    #expect(again.record(for: kept.id) == kept && !kept.isExportable)
    let kbpk = try KeyCheckValue.aes(Self.kbpk.span)
    for record in [free, kept] {
      let header = try record.header(kbpk: kbpk)
      #expect(record.matches(header))
      #expect((header.exportability == .exportable) == record.isExportable)
      #expect(!(record == free ? kept : free).matches(header))
    }
    #expect(
      !"\(kept.json(under: 0))".contains("exportable")
        && "\(free.json(under: 0))".contains("exportable"))
  }

  // Coming

  /// [KS-IMPORT-BLOCK] What leaves comes in again, elsewhere, and may not leave from there.
  @Test func whatLeavesComesIn() throws {
    let kek = try exchangeKey()
    let block = try take(.sealing, Array(Self.bytes.prefix(32)), exportable: true).block(under: kek)
    let opened = try kek.open(block: block.span, allowing: [])
    let key = opened.key.bytes.array
    #expect(key == Array(Self.bytes.prefix(32)))
    #expect(throws: KeyStoreError.importRefused(.exportability)) {
      try take(.sealing, key, label: "x/again", exportable: true, from: opened.header)
    }
    #expect(try !take(.sealing, key, label: "x/again", from: opened.header).record.isExportable)
  }

  /// [KS-IMPORT-BLOCK]
  @Test func aBlockThatDoesNotOpenIsRefused() throws {
    let kek = try exchangeKey()
    let other = try take(.keyExchange, Array(Self.bytes.prefix(32)), label: "bank/other")
    let block = try KeyBlock.wrap(
      key: Self.bytes.span.extracting(first: 32),
      header: header(.dataEncryption, .aes, .encryptDecrypt), kbpk: Self.kbpk.span)
    func refused(_ block: [UInt8], _ kek: KeySlot) -> Bool {
      refusal { () throws(KeyStoreError) in
        _ = try kek.open(block: block.span, allowing: [.a, .b, .c])
        return true
      } == .importRefused(.block)
    }
    #expect(!refused(block, kek) && refused(block, other))
    for place in block.indices {
      var changed = block
      changed[place] = block[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
      #expect(refused(changed, kek), "character \(place)")
    }
    for count in [0, 15, 16, block.count - 16, block.count - 1] {
      #expect(refused(Array(block.prefix(count)), kek))
    }
    #expect(
      refused(block + [UInt8(ascii: "0")], kek) && refused(Array("E".utf8) + block.dropFirst(), kek)
    )
  }

  /// [KS-EXCHANGE-KEY] The sixteen bytes of a TDEA key could be an AES-128 key's.
  @Test func aTDEAKeyOpensNoBlockOfVersionD() throws {
    let kek = try take(.keyExchangeTDEA, Array(Self.bytes.prefix(16)))
    let block = try KeyBlock.wrap(
      key: Self.bytes.span.extracting(first: 16),
      header: header(.dataEncryption, .tripleDES, .encryptOnly),
      kbpk: Self.bytes.span.extracting(first: 16))
    for old in [[], [KeyBlockVersion.d], [.a, .b, .c, .d]] as [Set<KeyBlockVersion>] {
      #expect(
        refusal { () throws(KeyStoreError) in
          _ = try kek.open(block: block.span, allowing: old)
          return true
        } == .importRefused(.block))
    }
  }

  /// [KS-IMPORT-USE] As much as the role does, or more; nothing else, and no component.
  @Test func theHeaderAllowsTheRole() throws {
    let hash = OptionalBlock.hmac(HashAlgorithm.sha256)
    let rows: [(KeyRole, KeyBlockHeader, Bool)] = [
      (.sealing, try header(.dataEncryption, .aes, .encryptDecrypt), true),
      (.sealing, try header(.dataEncryption, .aes, .unrestricted), true),
      (.sealing, try header(.dataEncryption, .aes, .decryptOnly), false),
      (.sealing, try header(.sensitiveDataEncryption, .aes, .encryptDecrypt), false),
      (.sealing, try header(.keyBlockProtection, .aes, .encryptDecrypt), false),
      (.sealing, try header(.dataEncryption, .tripleDES, .encryptDecrypt), false),
      (.unsealing, try header(.dataEncryption, .aes, .encryptDecrypt), true),
      (.unsealing, try header(.dataEncryption, .aes, .encryptOnly), false),
      (.keyExchange, try header(.keyBlockProtection, .aes, .encryptDecrypt), true),
      (.keyExchange, try header(.keyEncryption, .aes, .encryptDecrypt), false),
      (.keyExchange, try header(.keyBlockProtection, .aes, .decryptOnly), false),
      (.macHMACSHA256, try header(.hmac, .hmac, .generateVerify, blocks: [hash]), true),
      (.macHMACSHA256, try header(.hmac, .hmac, .generateVerify), true),
      (.macHMACSHA384, try header(.hmac, .hmac, .generateVerify, blocks: [hash]), false),
      (.macHMACSHA256, try header(.hmac, .hmac, .generateOnly, blocks: [hash]), false),
      (.sealing, try header(.dataEncryption, .aes, .encryptDecrypt, blocks: [hash]), false),
      (.agreement, try header(.keyAgreement, .ellipticCurve, .deriveOnly), true),
      (.signingECDSA, try header(.keyAgreement, .ellipticCurve, .deriveOnly), false),
      (
        .sealing,
        try header(
          .dataEncryption, .aes, .encryptDecrypt,
          version: #require(KeyVersion(UInt8(ascii: "c"), UInt8(ascii: "1")))), false
      ),
      (
        .sealing,
        try header(
          .dataEncryption, .aes, .encryptDecrypt,
          version: #require(KeyVersion(UInt8(ascii: "0"), UInt8(ascii: "7")))), true
      ),
    ]
    for (index, (role, header, taken)) in rows.enumerated() {
      #expect((role.takes(header) && role.hashAgrees(with: header, nil)) == taken, "row \(index)")
    }
    #expect(throws: KeyStoreError.importRefused(.blockUse)) {
      try take(.sealing, Array(Self.bytes.prefix(32)), from: rows[2].1)
    }
  }

  /// [KS-IMPORT-EXPORTABLE]
  @Test(arguments: [(Exportability.exportable, true), (.sensitive, true), (.nonExportable, false)])
  func aKeyMayLeaveAgainWhereItsSenderLetsIt(_ exportability: Exportability, _ may: Bool) throws {
    let header = try header(.dataEncryption, .aes, .encryptDecrypt, exportability)
    let key = Array(Self.bytes.prefix(32))
    #expect(try !take(.sealing, key, label: "x/kept", from: header).record.isExportable)
    if may {
      return #expect(try take(.sealing, key, exportable: true, from: header).record.isExportable)
    }
    #expect(throws: KeyStoreError.importRefused(.exportability)) {
      try take(.sealing, key, exportable: true, from: header)
    }
  }

  @Test func whatAModeCovers() {
    for mode in ModeOfUse.allCases {
      #expect(mode.covers(mode) && ModeOfUse.unrestricted.covers(mode))
      let others = ModeOfUse.allCases.filter { $0 != mode && mode.covers($0) }
      switch mode {
      case .unrestricted: #expect(others.count == ModeOfUse.allCases.count - 1)
      case .encryptDecrypt: #expect(others == [.decryptOnly, .encryptOnly])
      case .generateVerify: #expect(others == [.generateOnly, .verifyOnly])
      case .signDecrypt: #expect(others == [.decryptOnly, .signOnly])
      default: #expect(others.isEmpty)
      }
    }
  }
}
