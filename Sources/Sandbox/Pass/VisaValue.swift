internal import Crypto
internal import Format
internal import Host

/// A value that the issuer encrypted for Visa: `TYPE-1-FK-KEYSET--TDEA-HEX`.
struct VisaValue {
  /// Whether it is about a card, and not about a nonce.
  let isAccount: Bool
  /// `NAME=VALUE;…`
  let text: String
  private let fields: [String: String]

  subscript(_ name: String) -> String? { fields[name] }

  /// - Throws: `.form`, `.key` or `.decryption`.
  init(_ value: String, key: Span<UInt8>) throws(NetworkFault) {
    let parts = value.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 7, let isAccount = Self.kinds[String(parts[0])], parts[1] == "1", parts[2] == "FK", parts[4].isEmpty, parts[5] == "TDEA",
      let ciphertext = Hex.decode(parts[6])
    else { throw .form }
    guard parts[3] == TestIssuer.keySet else { throw .key }
    self.isAccount = isAccount
    text = try Self.decrypt(ciphertext, key)
    let pairs = text.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    guard pairs.allSatisfy({ $0.count == 2 }), pairs.map({ $0[0] }) == (isAccount ? ["pan", "expiry", "datetime"] : ["nonce", "authcode"]) else {
      throw .decryption
    }
    fields = Dictionary(pairs.map { ($0[0], $0[1]) }) { first, _ in first }
    // The cipher does not authenticate: damage at the end shows here alone.
    guard !isAccount || fields["datetime"]?.wholeMatch(of: /[0-9]{14}/) != nil else { throw .decryption }
  }

  /// Whether it names this card, as far as the pass names one.
  func isAbout(_ pan: String?, _ expiry: String?) -> Bool {
    guard let own = fields["pan"], let ownExpiry = fields["expiry"] else { return false }
    return (pan ?? own) == own && (expiry ?? ownExpiry) == ownExpiry
  }

  private static let kinds = ["MBPAC": false, "MPAC": false, "MBPAD": true, "MPAD": true]

  /// Two spaces, four random characters, the text's length, the text, and `!` up to a multiple of 8.
  private static func decrypt(_ ciphertext: [UInt8], _ key: Span<UInt8>) throws(NetworkFault) -> String {
    let iv = [UInt8](repeating: 0, count: 8)
    guard !ciphertext.isEmpty, let buffer = try? TDES.decrypt(key: key, iv: iv.span, ciphertext: ciphertext.span) else { throw .decryption }
    let block = buffer.bytes.indices.map { buffer.bytes[$0] }
    let digits = block.dropFirst(6).prefix(3).prefix(while: \.isDigit)
    let rest = block.dropFirst(6 + digits.count)
    guard block.prefix(2).allSatisfy({ $0 == UInt8(ascii: " ") }), let count = Int(String(decoding: digits, as: UTF8.self)),
      (0..<8).contains(rest.count - count), rest.dropFirst(count).allSatisfy({ $0 == UInt8(ascii: "!") })
    else { throw .decryption }
    return String(decoding: rest.prefix(count), as: UTF8.self)
  }
}
