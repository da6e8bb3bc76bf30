import Format
import KistClient

/// A token as an app, a web page or a file brings it.
enum TokenJSONTarget: FuzzTarget {
  static let name = "token-json"
  static let byteLimit = 16 << 10

  static func seeds() throws -> [[UInt8]] {
    let tokens = try TokenFixture.all().map(\.json)
    let payment = tokens.map { Array(#"{"token":{"paymentData":"#.utf8) + $0 + Array("}}".utf8) }
    return tokens + payment + tokens.map { Array(Base64.encode($0).utf8) } + [
      DeepNesting.arrays(200), DeepNesting.objects(200), Array("\"\"".utf8),
    ]
  }

  static func run(_ input: [UInt8]) throws {
    let token = try PaymentToken(appleJSON: input)
    // Written down again in the plain form it is the same token.
    let source: CanonicalJSON.Member =
      switch token.keySource {
      case .ephemeralPublicKey(let key): .init("ephemeralPublicKey", .string(Base64.encode(key)))
      case .wrappedKey(let key): .init("wrappedKey", .string(Base64.encode(key)))
      }
    let version =
      switch token.keySource {
      case .ephemeralPublicKey: "EC_v1"
      case .wrappedKey: "RSA_v1"
      }
    var header = [
      source, .init("publicKeyHash", .string(Base64.encode(token.publicKeyHash))),
      .init("transactionId", .string(Hex.encode(token.transactionID))),
    ]
    if !token.applicationData.isEmpty {
      header.append(.init("applicationData", .string(Hex.encode(token.applicationData))))
    }
    let text = CanonicalJSON.object([
      .init("version", .string(version)), .init("data", .string(Base64.encode(token.data))),
      .init("signature", .string(Base64.encode(token.signature))),
      .init("header", .object(header)),
    ]).serialised
    try promise(
      (try? PaymentToken(appleJSON: text)) == token,
      "a token is another one when it is written down again")
  }
}
