internal import Crypto
internal import Format

/// A value that the issuer signed for Mastercard, in JSON.
struct MastercardValue {
  private let version: String
  private let signature: [UInt8]
  /// Absent from version 2.
  private let until: String?
  private let keyAlias: String?
  private let hasReference: Bool

  /// - Throws: `.form`.
  init(_ text: [UInt8]) throws(NetworkFault) {
    let members: [String: String]
    do throws(JSONReaderError) { members = try Self.texts(text) } catch { throw .form }
    guard let version = members["version"], members["signatureAlgorithm"] == "RSA-SHA256", let signature = Base64.decode(members["signature"] ?? "!") else {
      throw .form
    }
    (self.version, self.signature) = (version, signature)
    (until, keyAlias) = (members["dataValidUntilTimestamp"], members["keyAlias"])
    hasReference = members["tokenUniqueReferenceIncluded"] == "true"
    guard Self.orders[version] == .some(members["includedFieldsInOrder"] ?? ""), (until == nil) == (version == "2") else { throw .form }
  }

  /// What the issuer signed of this card; nil if a reference is in it, which only the network knows.
  func signedText(_ pan: String, _ expiry: String) -> String? {
    guard !hasReference else { return nil }
    return switch version {
    case "2": pan + "Y" + expiry + "N"
    case "3": "\(pan)|\(expiry)|\(until ?? "")"
    default: "\(until ?? "")|\(pan)|\(expiry)"
    }
  }

  /// - Throws: `.key`, `.signature` or `.time`.
  func check(_ signed: String, _ key: PublicKey, now: Timestamp) throws(NetworkFault) {
    guard version != "4" || keyAlias == TestIssuer.keyAlias else { throw .key }
    let message = Array(signed.utf8)
    guard key.verify(signature: signature.span, message: message.span) else { throw .signature }
    guard let until else { return }
    guard let end = Timestamp(until), now < end, end <= now.adding(seconds: Self.longestValidity) else { throw .time }
  }

  /// In seconds.
  private static let longestValidity: Int64 = 30 * 86_400

  private static let orders = [
    "2": "", "3": "accountNumber|accountExpiry|dataValidUntilTimestamp", "4": "dataValidUntilTimestamp|accountNumber|accountExpiry",
  ]

  private static func texts(_ text: [UInt8]) throws(JSONReaderError) -> [String: String] {
    let json = try JSONReader(text.span)
    return try json.texts(of: json.root)
  }
}
