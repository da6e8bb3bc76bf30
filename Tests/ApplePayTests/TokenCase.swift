import ApplePay
import Crypto
import Format
import Foundation
import Host
import KistClient
import TestSupport
import Testing

/// One token with what it takes to verify and open it, and what must come of that.
struct TokenCase: Sendable, CustomTestStringConvertible {
  let name: String
  var fields: TokenFields
  /// DER; nil for Apple's.
  let root: [UInt8]?
  var clock: Timestamp
  let merchant: Merchant?
  /// The stage of refusal as fixtures write it, `ok` where it opens.
  let stage: String
  let plaintext: [UInt8]?

  struct Merchant: Sendable {
    let pkcs8: [UInt8]
    let identifierHash: Digest256

    init(base64: String, identifierHash hex: String) throws {
      pkcs8 = try #require(Base64.decode(base64))
      identifierHash = try #require(Digest256(hex: hex))
    }
  }

  var testDescription: String { name }

  func verifier() throws -> PaymentTokenVerifier {
    try #require(TestArena.ready)
    guard let root else { return PaymentTokenVerifier(anchor: try .appleRootCAG3()) }
    return PaymentTokenVerifier(anchor: try TrustAnchor(try Certificate(der: root)))
  }

  func key() throws -> PrivateKey {
    try #require(TestArena.ready)
    let merchant = try #require(merchant)
    return try PrivateKey(pkcs8DER: merchant.pkcs8.span)
  }

  /// Verifies and opens; the plaintext may leave its buffer, it is no one's.
  func open() throws -> [UInt8] {
    let merchant = try #require(merchant)
    return try fields.open(
      verifier(), key: key(), identifierHash: merchant.identifierHash, now: clock)
  }
}

/// The fields of a token, owned and open to tampering.
struct TokenFields: Sendable {
  var version: ApplePayTokenVersion
  var data, signature, ephemeralPublicKey, wrappedKey, publicKeyHash, transactionID,
    applicationData: [UInt8]

  init(_ json: ApplePayTokenJSON) {
    version = json.version
    data = json.data
    signature = json.signature
    publicKeyHash = json.publicKeyHash
    transactionID = json.transactionID
    applicationData = json.applicationData
    switch json.keySource {
    case .ephemeralPublicKey(let key): (ephemeralPublicKey, wrappedKey) = (key, [])
    case .wrappedKey(let key): (ephemeralPublicKey, wrappedKey) = ([], key)
    }
  }

  /// - Returns: the signing time.
  func verify(_ verifier: PaymentTokenVerifier, now: Timestamp, window: UInt32 = 300) throws
    -> Timestamp
  {
    let token = try PaymentToken(
      version: version, data: data.span, signature: signature.span,
      ephemeralPublicKey: ephemeralPublicKey.span,
      wrappedKey: wrappedKey.span, publicKeyHash: publicKeyHash.span,
      transactionID: transactionID.span,
      applicationData: applicationData.span)
    return try verifier.verify(token, now: now, window: window).signingTime
  }

  func open(
    _ verifier: PaymentTokenVerifier, key: PrivateKey, identifierHash: Digest256, now: Timestamp
  ) throws -> [UInt8] {
    let token = try PaymentToken(
      version: version, data: data.span, signature: signature.span,
      ephemeralPublicKey: ephemeralPublicKey.span,
      wrappedKey: wrappedKey.span, publicKeyHash: publicKeyHash.span,
      transactionID: transactionID.span,
      applicationData: applicationData.span)
    let verified = try verifier.verify(token, now: now, window: 300)
    let opener = try PaymentTokenOpener(verified, key: key, merchantIdentifierHash: identifierHash)
    let plaintext = try opener.open()
    return plaintext.bytes.indices.map { plaintext.bytes[$0] }
  }
}

extension TokenCase {
  /// Made by an independent program; see `Fixtures/make.py`.
  static let fixtures: [TokenCase] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Fixtures")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().compactMap {
      try? TokenCase(fixture: folder.appendingPathComponent($0))
    }
  }()

  static func fixture(_ name: String) throws -> TokenCase {
    try #require(fixtures.first { $0.name == name })
  }

  /// The tokens of others in `../shared/vectors/applepay/<folder>`.
  static func vectors(_ folder: String) -> [TokenCase] {
    let path = "applepay/" + folder
    let names =
      (try? FileManager.default.contentsOfDirectory(
        atPath: Vectors.root.appendingPathComponent(path).path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().compactMap {
      try? TokenCase(vector: path + "/" + $0)
    }
  }

  private init(fixture: URL) throws {
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: fixture)) as? [String: Any])
    func text(_ name: String) throws -> String { try #require(json[name] as? String) }
    name = try text("id")
    fields = try Self.fields(json["token"])
    let rootText = try text("root")
    let rootDER: [UInt8] = try #require(Base64.decode(rootText))
    root = rootDER
    clock = try Self.moment(try text("clock"))
    merchant = try Merchant(base64: text("privateKey"), identifierHash: text("merchantIdHash"))
    stage = try text("stage")
    plaintext = (json["plaintext"] as? String).map { Array($0.utf8) }
  }

  private init(vector path: String) throws {
    let json = try Vectors.json(path)
    name = try #require(json["id"] as? String)
    fields = try Self.fields(json["token"])
    root = nil
    clock = try (json["clock"] as? String).map(Self.moment) ?? Timestamp(seconds: 0)
    let merchant = json["merchant"] as? [String: Any]
    self.merchant = try merchant.map {
      let pem = try #require($0["privateKey"] as? String)
      let hash = try #require($0["merchantIdHash"] as? String)
      return try Merchant(
        base64: pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined(),
        identifierHash: hash)
    }
    let expected = try #require(json["expected"] as? [String: Any])
    let verify = try #require(expected["verify"] as? String)
    stage = verify == "ok" ? expected["decrypt"] as? String ?? "ok" : verify
    plaintext = (expected["plaintext"] as? String).map { Array($0.utf8) }
  }

  private static func fields(_ token: Any?) throws -> TokenFields {
    let text = Array(try JSONSerialization.data(withJSONObject: #require(token)))
    return TokenFields(try ApplePayTokenJSON(text.span))
  }

  private static func moment(_ text: String) throws -> Timestamp {
    try #require(Timestamp(text.replacingOccurrences(of: "+00:00", with: "Z")))
  }
}

extension TokenRejection {
  /// As fixtures and `Wire.Stage` write it.
  var name: String {
    "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
  }
}
