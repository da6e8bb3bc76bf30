import Crypto
import Format
import Foundation
import KistClient
import TestSupport

@testable internal import ApplePay

/// A token's detached CMS signature, from its bytes to the verdict on the whole token.
enum TokenSignatureTarget: FuzzTarget {
  static let name = "token-signature"
  static let byteLimit = 8192

  static func seeds() throws -> [[UInt8]] {
    try TokenFixture.all().map(\.token.signature) + [
      DeepNesting.indefinite(0x30, 200), DeepNesting.lyingLengths,
    ]
  }

  static func run(_ input: [UInt8]) throws {
    let bytes = input.span
    let signed = try SignedData(bytes)
    _ = try? SignedAttributes(signed.signedAttributes)
    guard let fixture = try TokenFixture.all().first,
      case .ephemeralPublicKey(let source) = fixture.token.keySource
    else { return }
    let anchor = try TrustAnchor(try Certificate(der: fixture.root))
    _ = try? VerifiedChain(signed.certificates, anchor: anchor, .none)
    let data = fixture.token.data
    let hash = fixture.token.publicKeyHash
    let transaction = fixture.token.transactionID
    let none: [UInt8] = []
    let token = try PaymentToken(
      version: .ecV1, data: data.span, signature: bytes, ephemeralPublicKey: source.span,
      wrappedKey: none.span, publicKeyHash: hash.span,
      transactionID: transaction.span, applicationData: none.span)
    guard
      (try? PaymentTokenVerifier(anchor: anchor).verify(token, now: fixture.clock, window: 300))
        != nil
    else { return }
    try promise(
      try TokenFixture.all().contains { $0.token.signature == input },
      "a signature nobody made is accepted")
  }
}

/// A token that an independent program made, see `Tests/ApplePayTests/Fixtures/make.py`, and the
/// root it is good under.
struct TokenFixture: Sendable {
  let token: ApplePayTokenJSON
  let json: [UInt8]
  let root: [UInt8]
  let clock: Timestamp
  let plaintext: [UInt8]

  static func all() throws -> [TokenFixture] { try found.get() }

  private static let found = Result {
    let folder = Repository.root.appending(path: "Tests/ApplePayTests/Fixtures")
    return try [
      "ec", "rsa", "ec-application-data", "ec-with-root", "two-leaves", "revocation-list",
    ].map {
      try TokenFixture(folder.appending(path: $0 + ".json"))
    }
  }

  private init(_ file: URL) throws {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    guard let object, let moment = object["clock"] as? String,
      let clock = Timestamp(moment.replacing("+00:00", with: "Z")),
      let root = (object["root"] as? String).flatMap({ Base64.decode($0) })
    else { throw BrokenPromise(description: "\(file.lastPathComponent) is no fixture") }
    json = Array(try JSONSerialization.data(withJSONObject: object["token"] ?? [:]))
    let json = json
    token = try ApplePayTokenJSON(json.span)
    self.root = root
    self.clock = clock
    plaintext = Array((object["plaintext"] as? String ?? "{}").utf8)
  }
}

/// What decoders of nested forms have broken on elsewhere.
enum DeepNesting {
  /// Elements of indefinite length in one another, none of which ends.
  static func indefinite(_ tag: UInt8, _ depth: Int) -> [UInt8] {
    (0..<depth).flatMap { _ in [tag, 0x80] }
  }

  /// Lengths of more bytes than there are, and of more than an Int has.
  static let lyingLengths: [UInt8] =
    [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8) + [
      0x30, 0x7F,
    ]

  /// JSON arrays in one another.
  static func arrays(_ depth: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(ascii: "["), count: depth)
      + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
  }

  /// JSON objects in one another.
  static func objects(_ depth: Int) -> [UInt8] {
    Array(
      (String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)).utf8
    )
  }
}
