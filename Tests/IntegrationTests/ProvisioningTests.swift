import Audit
import Format
import Foundation
import KeyStore
import KistClient
import TestSupport
import Testing

/// Cards sealed by a real daemon and opened by an independent program that plays Apple.
@Suite(.serialized, .enabled(if: Oracle.isPresent, "needs ../shared/oracle"))
struct ProvisioningTests {
  private let nonce: [UInt8] = [0x9C, 0x02, 0x30, 0x92]
  private let signature = (0..<84).map { UInt8($0) &* 3 }

  private func request(
    _ oracle: OracleIssuer, _ card: PassRequest.Card, activation: PassRequest.Activation = .none
  ) -> PassRequest {
    PassRequest(
      certificates: [oracle.leaf, oracle.intermediate], nonce: nonce, nonceSignature: signature,
      card: card, activation: activation)
  }

  private static let number = "4111111111111111"
  private var card: PassRequest.Card {
    .accountNumber(.digits(Self.number), name: "Tester \"Bob\" Zoë", expiration: "12/30")
  }

  private func members(_ text: String) throws -> [String: String] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
  }

  @Test("[OP-PROV-3] [OP-PROV-4] one hundred passes of all three configurations are opened")
  func passes() throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let visa = try client.id(OracleIssuer.visa)
    var made: [ProvisionedPass] = []
    for i in 0..<100 {
      let cards: [PassRequest.Card] = [
        card, .accountIdentifier("FAPL-\(i)"),
        .encrypted(.text("TUJQQUQ="), name: "Bob \(i)", prefix: "411111", networkName: "Visa"),
      ]
      var request = request(oracle, cards[i % 3])
      if i % 2 == 0 { request.certificates = [oracle.root, oracle.intermediate, oracle.leaf] }
      made.append(try client.provisionPass(request, key: i % 5 == 0 ? visa : nil))
    }
    #expect(Set(made.map(\.ephemeralPublicKey)).count == 100)
    let texts = try oracle.open(made.map(oracle.item))
    for (i, text) in texts.enumerated() {
      let members = try members(text)
      #expect(members["nonce"] == "9c023092")
      #expect(members["nonceSignature"] == Hex.encode(signature))
      switch i % 3 {
      case 0:
        #expect(
          members["primaryAccountNumber"] == Self.number && members["name"] == "Tester \"Bob\" Zoë"
            && members["expiration"] == "12/30")
        #expect(members.count == 5)
      case 1:
        #expect(members["primaryAccountIdentifier"] == "FAPL-\(i)")
        #expect(members.count == 3)
      default:
        #expect(
          members["encryptedPrimaryAccountNumber"] == "TUJQQUQ="
            && members["primaryAccountNumberPrefix"] == "411111")
        #expect(
          members["networkName"] == "Visa" && members["name"] == "Bob \(i)" && members.count == 6)
      }
    }
  }

  @Test("[OP-PROV-5] the number may be sealed, and encrypted for Visa inside") func sealedNumber()
    throws
  {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let visa = try client.id(OracleIssuer.visa)
    let sealing = try client.id(OracleIssuer.sealing)
    let plaintext = Array(Self.number.utf8)
    let envelope = try client.sealed(plaintext, associatedData: [1, 2], key: sealing)
    let account = PassRequest.Account.envelope(envelope, context: [1, 2])
    let clear = try client.provisionPass(
      request(oracle, .accountNumber(account, name: "B", expiration: "12/30")))
    let inside = try client.provisionPass(
      request(
        oracle,
        .encrypted(
          .visa(account, expiration: "12/30"), name: nil, prefix: "411111", networkName: "Visa")),
      key: visa)
    let texts = try oracle.open([clear, inside].map(oracle.item))
    #expect(try members(texts[0])["primaryAccountNumber"] == Self.number)
    let written = try members(texts[1])["encryptedPrimaryAccountNumber"] ?? ""
    let encrypted = try #require(Base64.decode(written))
    let found = try oracle.open([
      OracleIssuer.item(visa: String(decoding: encrypted, as: UTF8.self))
    ])
    #expect(found == ["MBPAD|123456.1|pan=\(Self.number);expiry=1230;datetime=20250601120000"])
    #expect(!texts[1].contains(Self.number))
    let used = try daemon.records().filter { $0.operation == "provision-pass" }.map {
      $0.furtherKeys.map(\.bytes)
    }
    #expect(used == [[sealing], [sealing]])

    var wrong = envelope
    wrong[40] ^= 1
    let refused: [PassRequest.Account] = [
      .envelope(envelope, context: [1, 3]), .envelope(wrong, context: [1, 2]),
      .envelope(Array(envelope.dropLast()), context: [1, 2]), .envelope([1, 2, 3]),
    ]
    for account in refused {
      #expect {
        _ = try client.provisionPass(
          request(oracle, .accountNumber(account, name: "B", expiration: "12/30")))
      } throws: {
        named("envelope", "account-envelope")($0)
      }
    }
  }

  @Test(
    "[OP-PROV-5] a Mastercard value over a sealed number is made only where the grant releases the number",
    arguments: [true, false])
  func signedSealedNumber(_ releases: Bool) throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon(policy: OracleIssuer.policy(releases: releases))
    let client = try Client(daemon.services)
    let visa = try client.id(OracleIssuer.visa)
    let mastercard = try client.id(OracleIssuer.mastercard)
    let envelope = try client.sealed(
      Array(Self.number.utf8), associatedData: [], key: client.id(OracleIssuer.sealing))
    let hidden = PassRequest.Card.accountNumber(.envelope(envelope), name: "B", expiration: "12/30")
    func signed() throws -> String {
      let pass = try client.provisionPass(
        request(oracle, hidden, activation: .mastercard(MastercardOTP())), key: mastercard)
      return String(decoding: pass.activationData, as: UTF8.self)
    }
    if releases {
      #expect(
        try oracle.open([oracle.item(tav: signed(), pan: Self.number, expiry: "1230")])[0].contains(
          Self.number))
      #expect(try daemon.records().last { $0.operation == "provision-pass" }?.released == ["dpan"])
    } else {
      #expect { _ = try signed() } throws: { named("otp-input", "activation")($0) }
      // A number of the caller's own is no secret, and neither is what only Visa can decrypt.
      let own = MastercardOTP(accountNumber: "5204240250197840")
      _ = try client.provisionPass(
        request(oracle, hidden, activation: .mastercard(own)), key: mastercard)
      _ = try client.provisionPass(
        request(oracle, hidden, activation: .visa(VisaOTP(.mpad))), key: visa)
      #expect(try daemon.records().last { $0.operation == "provision-pass" }?.released == [])
    }
  }

  @Test("[OP-PROV-6] activation data: made, passed through, or none, and the log says which")
  func activation() throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let visa = try client.id(OracleIssuer.visa)
    let mastercard = try client.id(OracleIssuer.mastercard)
    let mbpac = try client.provisionPass(
      request(oracle, card, activation: .visa(VisaOTP(.mbpac, authenticationCode: "ZZLGEZ"))),
      key: visa)
    let mpad = try client.provisionPass(
      request(oracle, card, activation: .visa(VisaOTP(.mpad))), key: visa)
    let tav = try client.provisionPass(
      request(oracle, card, activation: .mastercard(MastercardOTP(version: 4))), key: mastercard)
    let opaque = try client.provisionPass(request(oracle, card, activation: .opaque([1, 0, 255])))
    let none = try client.provisionPass(request(oracle, card))
    #expect(opaque.activationData == [1, 0, 255] && none.activationData.isEmpty)
    func text(_ pass: ProvisionedPass) -> String {
      String(decoding: pass.activationData, as: UTF8.self)
    }
    #expect(text(mpad).hasPrefix("MPAD-"))
    let found = try oracle.open([
      OracleIssuer.item(visa: text(mbpac)), OracleIssuer.item(visa: text(mpad)),
      oracle.item(tav: text(tav), pan: Self.number, expiry: "1230"),
    ])
    #expect(
      found == [
        "MBPAC|123456.1|nonce=9c023092;authcode=ZZLGEZ",
        "MBPAD|123456.1|pan=\(Self.number);expiry=1230;datetime=20250601120000",
        "2025-06-01T12:30:00Z|\(Self.number)|1230",
      ])
    let said = try daemon.records().filter { $0.operation == "provision-pass" }.map {
      $0.inputs.activation?.rawValue
    }
    #expect(said == ["visa", "visa", "mastercard", "passed-through", "none"])
  }

  @Test("[OP-PROV-1] [OP-PROV-6] a value that no named key makes is refused by its field")
  func activationRefused() throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let visa = try client.id(OracleIssuer.visa)
    let hotp = try client.id(OracleIssuer.hotp)
    let mbpac = PassRequest.Activation.visa(VisaOTP(.mbpac, authenticationCode: "A"))
    #expect { _ = try client.provisionPass(request(oracle, card, activation: mbpac)) } throws: {
      named("otp-input", "activation")($0)
    }
    #expect {
      _ = try client.provisionPass(
        request(oracle, card, activation: .mastercard(MastercardOTP())), key: visa)
    } throws: {
      named("otp-input", "activation")($0)
    }
    #expect {
      _ = try client.provisionPass(
        request(oracle, card, activation: .visa(VisaOTP(.mbpac))), key: visa)
    } throws: {
      named("otp-input", "activation")($0)
    }
    #expect {
      _ = try client.provisionPass(request(oracle, card, activation: mbpac), key: hotp)
    } throws: { refusal("denied")($0) }
    #expect {
      _ = try client.provisionPass(request(oracle, card), key: [UInt8](repeating: 9, count: 16))
    } throws: { refusal("denied")($0) }
  }

  @Test("[OP-PROV-2] [OP-PROV-3] what is wrong is named to those who may know, and in the log")
  func refusals() throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    func refuse(_ stage: String, _ field: String?, _ change: (inout PassRequest) -> Void) {
      var request = request(oracle, card)
      change(&request)
      #expect { _ = try client.provisionPass(request) } throws: { named(stage, field)($0) }
    }
    refuse("encryption-scheme", nil) { $0.scheme = .evRSAV2 }
    refuse("missing-field", "nonce") { $0.nonce = [] }
    refuse("missing-field", "nonce-signature") { $0.nonceSignature = [] }
    refuse("missing-field", "name") {
      $0.card = .accountNumber(.digits(Self.number), name: "", expiration: "12/30")
    }
    refuse("missing-field", "primary-account-number") {
      $0.card = .accountNumber(.digits(""), name: "B", expiration: "12/30")
    }
    refuse("missing-field", "encrypted-primary-account-number") {
      $0.card = .encrypted(
        .visa(.digits(Self.number), expiration: "12/30"), name: "B", prefix: "4",
        networkName: "Visa")
    }
    refuse("field-value", "expiration") {
      $0.card = .accountNumber(.digits(Self.number), name: "B", expiration: "13/30")
    }
    refuse("field-value", "primary-account-number") {
      $0.card = .accountNumber(.digits("4111 1111"), name: "B", expiration: "12/30")
    }
    refuse("issuer-chain-length", nil) { $0.certificates = [oracle.leaf] }
    refuse("issuer-leaf-marker", nil) { $0.certificates = [] }
    refuse("issuer-certificate", nil) { $0.certificates[1] = [0x30] }
    let stages = try daemon.records().compactMap(\.stage)
    #expect(stages.count == 11)
    #expect(
      try daemon.records().compactMap { $0.inputs.field?.name } == [
        "nonce", "nonce-signature", "name", "primary-account-number",
        "encrypted-primary-account-number", "expiration", "primary-account-number",
      ])
  }

  @Test("[OP-PROV-3] who may not know stages learns no field") func silent() throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon(policy: OracleIssuer.policy(stages: false))
    let client = try Client(daemon.services)
    var request = request(oracle, card)
    request.nonce = []
    #expect { _ = try client.provisionPass(request) } throws: {
      guard case .refused(let refusal)? = $0 as? ClientError else { return false }
      return refusal.status == "rejected" && refusal.stage == nil && refusal.field == nil
    }
  }

  @Test("[OP-PROV-2] certificates that are no longer valid, and Apple's root") func chains() throws
  {
    let oracle = try OracleIssuer()
    let late = try oracle.daemon(clock: "2034-01-01T00:00:01Z")
    let client = try Client(late.services)
    #expect { _ = try client.provisionPass(request(oracle, card)) } throws: {
      named("issuer-validity", nil)($0)
    }
    var options = TestDaemon.Options()
    options.clock = OracleIssuer.clock
    options.policy = OracleIssuer.policy()
    let apple = try TestDaemon(options)
    let other = try Client(apple.services)
    #expect { _ = try other.provisionPass(request(oracle, card)) } throws: {
      named("issuer-chain", nil)($0)
    }
  }

  @Test("[OP-TRACE-1] the public log in a rehearsal, and nothing of it in production") func trace()
    throws
  {
    let vector = try Vectors.json("applepay/provisioning/encryption-log-uc6-inmemory.json")
    func bytes(_ name: String) throws -> [UInt8] {
      try #require((vector[name] as? String).flatMap { Hex.decode($0) })
    }
    let expected = try #require(vector["expected"] as? [String: String])
    let recipient = try bytes("serverPublicKey")
    let scalar = try bytes("ephemeralPrivateKey")
    let plaintext = try bytes("plaintext")
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let trace = try client.provisionTrace(
      recipient: recipient, ephemeralPrivateKey: scalar, passData: plaintext)
    #expect(Hex.encode(trace.publicKeyHash) == expected["publicKeyHash"])
    #expect(Hex.encode(trace.ephemeralPublicKey) == expected["ephemeralPublicKey"])
    #expect(Hex.encode(trace.sharedSecret) == expected["sharedSecret"])
    #expect(Hex.encode(trace.otherInfo) == expected["otherInfo"])
    #expect(Hex.encode(trace.sharedKey) == expected["sharedKey"])
    #expect(Hex.encode(trace.encryptedPassData) == expected["encryptedPassData"])
    var off = recipient
    off[64] ^= 1
    #expect {
      _ = try client.provisionTrace(
        recipient: off, ephemeralPrivateKey: scalar, passData: plaintext)
    } throws: { named("key-agreement", nil)($0) }
    let zero = [UInt8](repeating: 0, count: 32)
    #expect {
      _ = try client.provisionTrace(
        recipient: recipient, ephemeralPrivateKey: zero, passData: plaintext)
    } throws: { named("key-agreement", nil)($0) }

    let production = try oracle.daemon(kind: .production)
    let there = try Client(production.services)
    #expect {
      _ = try there.provisionTrace(
        recipient: recipient, ephemeralPrivateKey: scalar, passData: plaintext)
    } throws: { refusal("denied")($0) }
  }
}

/// A rejection with this stage and this field.
func named(_ stage: String, _ field: String?) -> (any Error) -> Bool {
  { error in
    guard case .refused(let refusal)? = error as? ClientError else { return false }
    return refusal.status == "rejected" && refusal.stage == stage && refusal.field == field
  }
}

extension Client {
  /// An envelope of the daemon's.
  fileprivate func sealed(_ plaintext: [UInt8], associatedData: [UInt8], key: [UInt8]) throws
    -> [UInt8]
  {
    var request = SealRequest()
    request.plaintext = plaintext.span
    request.associatedData = associatedData.span
    return try SealReply(try call(.seal, key: key, request)).sealed.array
  }
}
