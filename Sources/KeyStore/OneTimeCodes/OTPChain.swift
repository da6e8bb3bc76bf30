internal import Crypto
internal import Format
internal import Host

/// The chained MACs of one ledger file: each covers the previous one, so that no entry can be changed, moved or removed from the middle.
///
/// HMAC-SHA-256 under keys of this ledger alone, truncated to 16 bytes; the first input byte says what is authenticated. [KS-LEDGER-MAC]
struct OTPChain: ~Copyable, Sendable {
  static let macSize = 16

  private let key: SecretBuffer
  /// The key for subjects' tags, which stays the same when the KEK changes.
  private let tagKey: SecretBuffer
  private let id: KeyID

  init(_ keys: borrowing StoreKeys, _ id: KeyID) throws(CryptoError) {
    let name = id.bytes
    let key = try HMACSHA256.derive(key: keys.ledgers.bytes, name.span)
    let tagKey = try HMACSHA256.derive(key: keys.tags.bytes, name.span)
    self.key = key
    self.tagKey = tagKey
    self.id = id
  }

  func subject(_ name: Span<UInt8>) throws(CryptoError) -> OTPTag {
    let tag = try mac(tagKey, 2, id.bytes, name.array)
    return OTPTag(tag.span)
  }

  /// The first MAC, over the header's 48 bytes.
  func first(_ header: [UInt8]) throws(CryptoError) -> [UInt8] { try mac(key, 0, header, []) }

  func next(after last: [UInt8], _ entry: [UInt8]) throws(CryptoError) -> [UInt8] { try mac(key, 1, last, entry) }

  private func mac(_ key: borrowing SecretBuffer, _ purpose: UInt8, _ first: [UInt8], _ second: [UInt8]) throws(CryptoError) -> [UInt8] {
    let message = [purpose] + first + second
    return Array(try HMACSHA256.authenticate(key: key.bytes, message.span).bytes.prefix(Self.macSize))
  }
}
