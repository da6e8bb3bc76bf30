import ApplePay
import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Sandbox
import Service
import ServiceHarness
import TestSupport
import Testing

/// An issuer's service that never holds a card's number: it has envelopes and surrogates of it.
struct HiddenNumberScene {
  static let pan = "4109370251004320"
  private static let merchant = "issuer.example"
  private static let secret = [UInt8](repeating: 0x51, count: 32)
  private static let mastercard = Result { try PrivateKey.generate(.rsa(bits: 2048)) }

  let pki: TestProvisioningPKI
  let network: PrivateKey
  let service: TestService
  private let ids = Locked<[String: KeyID]>([:])

  init(releases: Bool = false, patterns: [String] = ["key/*"]) throws {
    try #require(TestArena.ready)
    let root = try TestApplePKI.make().root
    pki = try TestProvisioningPKI.make(under: root)
    let network = try PrivateKey.generate(.p256)
    self.network = network
    let grant = try Rule(
      id: "issuer", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.signOTP, .provisionPass, .tokenise],
      keys: patterns.compactMap { KeyPattern($0) },
      released: releases ? ReleasedFields([.dpan]) : [], showsStage: true,
      rate: Rate(100, per: .second))
    let anchor = try TrustAnchor(root.certificate)
    let ids = ids
    service = try TestService(
      grants: [grant],
      prepare: { store in
        func take(
          _ name: String, _ role: KeyRole, _ material: consuming KeyMaterial,
          otp: OTPAttributes? = nil, until end: Timestamp? = nil
        ) throws {
          let label = try #require(KeyLabel("key/" + name))
          let key = KeyImport(label: label, role: role, material: material, notAfter: end, otp: otp)
          let id = try store.importKey(key, at: TestService.start, anchor: .beginning).id
          ids.withLock { $0[name] = id }
        }
        let tdea = [UInt8](repeating: 0x01, count: 8) + [UInt8](repeating: 0x02, count: 8)
        try take(
          "visa", .otpVisa, .symmetric(SecretBuffer(copying: tdea.span)),
          otp: .visa(keySet: "123456.1"))
        try take(
          "mastercard", .otpMastercard, .privateKey(Self.mastercard.get()),
          otp: .mastercard(alias: "alias"))
        try take("sealing", .sealing, .symmetric(SecretBuffer(copying: Self.secret.span)))
        try take("surrogate", .surrogate, .symmetric(SecretBuffer(copying: Self.secret.span)))
        try take(
          "network", .partnerEncryptionEC, .publicKey(network.publicKey),
          until: TestService.start.adding(seconds: 60))
      },
      adjust: { $0.anchor = anchor })
    try service.unlock()
  }

  func key(_ name: String) -> KeyID { ids.withLock { $0[name] } ?? .none }

  func envelope(_ context: [UInt8] = []) throws -> [UInt8] {
    let pan = Array(Self.pan.utf8)
    let id = key("sealing").bytes
    return try Envelope.seal(
      pan.span, key: Self.secret.span, id: id.span, associatedData: context.span)
  }

  func surrogate() throws -> [UInt8] {
    let pan = Array(Self.pan.utf8)
    let merchant = Array(Self.merchant.utf8)
    let made = try Surrogate.make(
      of: pan.span, merchant: merchant.span, format: .usual, key: Self.secret.span)
    return made.bytes.array
  }

  /// How the number comes, and what of it is wrong.
  enum Number: Sendable {
    case own, envelope, surrogate, bothWays, otherContext, otherMerchant, noKey
  }

  func sign(_ network: String, _ number: Number, kind: VisaType = .mbpad, own: String = "") throws
    -> (name: String, otp: String)
  {
    let (envelope, surrogate, key) = (
      try envelope([7]), try surrogate(), key(number == .noKey ? "network" : "surrogate").bytes
    )
    let expiry = Array("1230".utf8)
    let own = Array(own.utf8)
    let context = [UInt8(7)]
    let other = [UInt8(8)]
    let body = try written(atMost: 2048) { (writer) throws(WireError) in
      var request = SignOTPRequest()
      if network == "visa" {
        var visa = VisaInput()
        visa.type = kind
        visa.accountNumber = own.span
        if kind == .mbpad { visa.expiry = expiry.span }
        request.visa = visa
      } else {
        var mastercard = MastercardInput()
        mastercard.version = 3
        mastercard.expiry = expiry.span
        mastercard.accountNumber = own.span
        request.mastercard = mastercard
      }
      if [.envelope, .bothWays, .otherContext].contains(number) {
        request.accountEnvelope = envelope.span
        request.envelopeContext = number == .otherContext ? other.span : context.span
      }
      if ![.own, .envelope, .otherContext].contains(number) {
        var account = AccountSurrogate()
        account.surrogate = surrogate.span
        account.key = key.span
        account.merchantIdentifier = number == .otherMerchant ? "" : Self.merchant
        request.accountSurrogate = account
      }
      try request.encode(into: &writer)
    }
    let reply = try service.call(.signOTP, key: self.key(network), body: body)
    guard reply.header.status == .ok else { return (try Self.name(reply), "") }
    let otp = try SignOTPReply(MessageReader(reply.body.span)).otp.array
    return ("ok", String(decoding: otp, as: UTF8.self))
  }

  static func name(_ reply: (header: ReplyHeader, body: [UInt8])) throws -> String {
    guard reply.header.status == .rejected else { return reply.header.status.name }
    let rejection = try Rejection(MessageReader(reply.body.span))
    return rejection.stage.name + (rejection.field.map { " \($0.name)" } ?? "")
  }

  func provision(
    _ configuration: PassConfiguration, own: String = "", activation: String = "none",
    networkKey: String? = nil,
    expiration: String = "12/30", wrong: Bool = false
  ) throws -> String {
    let (surrogate, key, network) = (
      try surrogate(), key("surrogate").bytes, networkKey.map { self.key($0).bytes } ?? []
    )
    let nonce = [UInt8](repeating: 9, count: 4)
    let expiration = Array(expiration.utf8)
    let expiry = Array("1230".utf8)
    let name = Array("B".utf8)
    let own = Array(own.utf8)
    let identifier = Array("FAPL".utf8)
    let prefix = Array("410937".utf8)
    let visa = Array("Visa".utf8)
    let certificates = [pki.leaf.certificate.der, pki.intermediate.certificate.der]
    let body = try written(atMost: 8192) { (writer) throws(WireError) in
      var request = ProvisionPassRequest()
      request.certificates = certificates
      request.configuration = configuration
      request.nonce = nonce.span
      request.nonceSignature = nonce.span
      switch configuration {
      case .accountNumber: (request.name, request.expiration) = (name.span, expiration.span)
      case .accountIdentifier: request.primaryAccountIdentifier = identifier.span
      case .encryptedAccountNumber, .encryptedAccountNumberUnnamed:
        request.name = name.span
        request.expiration = expiration.span
        request.networkName = visa.span
        request.primaryAccountNumberPrefix = prefix.span
      }
      var account = AccountSurrogate()
      account.surrogate = surrogate.span
      account.key = key.span
      account.merchantIdentifier = wrong ? "other.example" : Self.merchant
      if own.isEmpty {
        request.accountSurrogate = account
      } else {
        request.primaryAccountNumber = own.span
      }
      request.networkKey = network.span
      if activation == "visa" {
        var visa = VisaInput()
        visa.type = .mpad
        request.visa = visa
      }
      if activation == "mastercard" {
        var mastercard = MastercardInput()
        mastercard.version = 3
        mastercard.expiry = expiry.span
        request.mastercard = mastercard
      }
      try request.encode(into: &writer)
    }
    let header = activation == "none" ? KeyID.none : self.key(activation)
    let reply = try service.call(.provisionPass, key: header, body: body)
    guard reply.header.status == .ok else { return try Self.name(reply) }
    let pass = try ProvisionPassReply(MessageReader(reply.body.span))
    return try opened(pass.encryptedPassData.array, pass.ephemeralPublicKey.array)
  }

  /// As Apple opens a pass.
  private func opened(_ data: [UInt8], _ point: [UInt8]) throws -> String {
    let z = try pki.leaf.key.agree(with: point.span)
    let info = [0x0D] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8) + point
    let key = try OneStepKDF.sha256(z: z.bytes, otherInfo: info.span)
    let iv = [UInt8](repeating: 0, count: 12)
    let nothing = [UInt8]()
    let text = try AESGCM.open(
      key: key.bytes, iv: iv.span, ciphertext: data.span.extracting(droppingLast: 16),
      tag: data.span.extracting(last: 16), aad: nothing.span)
    let plain = text.bytes.array
    return String(decoding: plain, as: UTF8.self)
  }

  /// As the network opens what is in the pass for it.
  func openedByNetwork(_ pass: String) throws -> String {
    let member = try #require(pass.split(separator: "\"").first { $0.hasPrefix("eyJ") })
    let opened = try JWEOpener.open(String(member), with: .privateKey(network))
    let plain = opened.plaintext.bytes.array
    return String(decoding: plain, as: UTF8.self)
  }
}

@Suite struct HiddenNumberTests {
  @Test(
    "[OP-OTP-10] a value is made of a number in an envelope or by its surrogate",
    arguments: [HiddenNumberScene.Number.envelope, .surrogate])
  func made(number: HiddenNumberScene.Number) throws {
    let scene = try HiddenNumberScene(releases: true)
    let visa = try scene.sign("visa", number)
    #expect(visa.otp.hasPrefix("MBPAD-1-FK-123456.1--TDEA-"))
    #expect(try scene.service.lastRecord()?.released == [])
    #expect(try scene.service.lastRecord()?.furtherKeys.count == 1)
    let mastercard = try scene.sign("mastercard", number)
    #expect(mastercard.otp.contains("\"version\":\"3\""))
    #expect(try scene.service.lastRecord()?.released == ["dpan"])
  }

  @Test(
    "[OP-OTP-10] a Mastercard value tells the number, so only with dpan",
    arguments: [HiddenNumberScene.Number.envelope, .surrogate])
  func tells(number: HiddenNumberScene.Number) throws {
    let scene = try HiddenNumberScene()
    #expect(try scene.sign("mastercard", number).name == "otp-input")
    #expect(try scene.sign("visa", number).name == "ok")
  }

  @Test(
    "[OP-PROV-5] [OP-OTP-10] Visa's value over a number of the caller's own, which it could compare with a hidden one's, only with dpan"
  )
  func compared() throws {
    let own = HiddenNumberScene.pan
    let scene = try HiddenNumberScene()
    let holder = try HiddenNumberScene(releases: true)
    #expect(try scene.sign("visa", .own, own: own).name == "otp-input")
    #expect(
      try scene.provision(.accountNumber, own: own, activation: "visa") == "otp-input activation")
    #expect(try scene.sign("mastercard", .own, own: own).name == "ok")
    #expect(try scene.provision(.accountNumber, activation: "visa").contains(own))
    // What only Apple can open is compared with nothing.
    #expect(
      try scene.provision(.encryptedAccountNumber, own: own, activation: "visa")
        == "otp-input activation")
    #expect(
      try scene.provision(.encryptedAccountNumber, own: own, networkKey: "network").contains("eyJ"))
    #expect(try holder.sign("visa", .own, own: own).name == "ok")
    #expect(try holder.provision(.accountNumber, own: own, activation: "visa").contains(own))
    #expect(try holder.service.lastRecord()?.released == [])
  }

  @Test(
    "[OP-OTP-10] both ways, an own number beside it, a value without a number, another context, merchant or key"
  )
  func refused() throws {
    let scene = try HiddenNumberScene(releases: true)
    #expect(try scene.sign("visa", .bothWays).name == "otp-input")
    #expect(try scene.sign("visa", .surrogate, own: HiddenNumberScene.pan).name == "otp-input")
    #expect(try scene.sign("mastercard", .envelope, own: HiddenNumberScene.pan).name == "otp-input")
    #expect(try scene.sign("visa", .surrogate, kind: .mbpac).name == "otp-input")
    #expect(try scene.sign("visa", .otherContext).name == "envelope")
    #expect(try scene.sign("visa", .otherMerchant).name == "parameters")
    #expect(try scene.sign("visa", .noKey).name == "stand-in")
    let narrow = try HiddenNumberScene(releases: true, patterns: ["key/visa"])
    #expect(try narrow.sign("visa", .surrogate).name == "stand-in")
    #expect(try narrow.sign("visa", .envelope).name == "envelope")
  }

  @Test("[OP-PROV-7] a pass of a number by its surrogate")
  func pass() throws {
    let scene = try HiddenNumberScene()
    #expect(
      try scene.provision(.accountNumber).contains(
        "\"primaryAccountNumber\":\"\(HiddenNumberScene.pan)\""))
    #expect(try scene.provision(.accountNumber, activation: "mastercard") == "otp-input activation")
    // In configuration 2 a number is of no use but for the activation.
    #expect(try scene.provision(.accountIdentifier) == "surplus-field primary-account-number")
    let released = try HiddenNumberScene(releases: true)
    let pass = try released.provision(.accountIdentifier, activation: "mastercard")
    #expect(
      pass.contains("\"primaryAccountIdentifier\":\"FAPL\"")
        && !pass.contains(HiddenNumberScene.pan))
    #expect(try released.service.lastRecord()?.released == ["dpan"])
  }

  @Test("[OP-PROV-8] the number is encrypted inside for the network's key")
  func forNetwork() throws {
    let scene = try HiddenNumberScene()
    let pass = try scene.provision(.encryptedAccountNumber, networkKey: "network")
    #expect(!pass.contains(HiddenNumberScene.pan) && !pass.contains("expiration"))
    #expect(
      try scene.openedByNetwork(pass)
        == #"{"primaryAccountNumber":"\#(HiddenNumberScene.pan)","expiration":"12/30"}"#)
    #expect(try scene.service.lastRecord()?.furtherKeys.contains(scene.key("network")) == true)
    #expect(
      try scene.provision(.accountNumber, networkKey: "network")
        == "surplus-field encrypted-primary-account-number")
    #expect(
      try scene.provision(.encryptedAccountNumber, networkKey: "network", expiration: "")
        == "missing-field expiration")
    for other in ["sealing", "visa", "none"] {
      #expect(
        try scene.provision(.encryptedAccountNumber, networkKey: other)
          == "partner-key encrypted-primary-account-number", "\(other)")
    }
    let narrow = try HiddenNumberScene(patterns: ["key/surrogate", "key/visa"])
    #expect(
      try narrow.provision(.encryptedAccountNumber, networkKey: "network")
        == "partner-key encrypted-primary-account-number")
  }
}
