package import Crypto
package import Format
package import Host
package import Policy

/// A digest by which an identifier can be recognised in the log but not guessed.
package struct KeyedDigest: Hashable, Sendable {
  package let value: Digest256

  package init(_ value: Digest256) { self.value = value }

  /// Parses `hmac-sha256:` and 64 lower-case digits.
  package init?(_ text: Span<UInt8>) {
    let prefix = Self.prefix.utf8
    guard text.count == prefix.count + 64 else { return nil }
    for (i, byte) in prefix.enumerated() where text[i] != byte { return nil }
    guard let value = Digest256(hexDigits: text.extracting(droppingFirst: prefix.count)) else {
      return nil
    }
    self.value = value
  }

  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.init(bytes.span)
  }

  package var text: String { Self.prefix + value.hex }

  private static let prefix = "hmac-sha256:"
}

/// The log's key for `KeyedDigest`: HMAC-SHA-256(key, field ‖ 0x00 ‖ value).
///
/// The name separates equal values of different fields.
package final class DigestKey: Sendable {
  private let key: SecretBuffer

  /// - Parameter key: 32 bytes.
  /// - Throws: `CryptoError.invalidKey` for another size.
  package init(_ key: consuming SecretBuffer) throws(CryptoError) {
    guard key.count == 32 else { throw .invalidKey }
    self.key = key
  }

  /// - Throws: `CryptoError.exhausted` if the arena is full, since the value never leaves secret
  ///   memory.
  package func digest(_ field: DigestField, of value: Span<UInt8>) throws(CryptoError)
    -> KeyedDigest
  {
    KeyedDigest(try digest(under: field.name, of: value))
  }

  /// A digest by which it is remembered that a payment's envelope was opened: of transaction and
  /// number, of which there may be none.
  package func digest(ofPayment transaction: Span<UInt8>, _ pan: Span<UInt8>) throws(CryptoError)
    -> KeyedDigest
  {
    KeyedDigest(try digest(under: "envelope", of: transaction, pan))
  }

  /// A digest that identifies a request's body but cannot be guessed; it appears in no record.
  package func digest(ofRequest body: Span<UInt8>) throws(CryptoError) -> Digest256 {
    try digest(under: "request", of: body)
  }

  /// A digest by which the same request of the same caller is known again [OP-OPEN-11]: of user,
  /// grant and body.
  package func digest(ofRetry body: Span<UInt8>, by caller: Caller, under grant: String)
    throws(CryptoError) -> KeyedDigest
  {
    KeyedDigest(try digest(under: "retry\0\(caller.accountName)\0\(grant)", of: body))
  }

  private func digest(under name: String, of value: Span<UInt8>, _ rest: Span<UInt8> = Span())
    throws(CryptoError) -> Digest256
  {
    try Self.authenticate(key, Array(name.utf8) + [0], value, rest)
  }

  private static func authenticate(
    _ key: borrowing SecretBuffer, _ name: [UInt8], _ value: Span<UInt8>, _ rest: Span<UInt8>
  ) throws(CryptoError) -> Digest256 {
    try HMACSHA256.authenticate(key: key.bytes, name, value, rest)
  }
}

extension Caller {
  /// The account's name, or `:` and its number if it has none, which no account can be called.
  package var accountName: String { personName ?? ":\(person)" }
}
