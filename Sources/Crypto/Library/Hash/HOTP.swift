import Format
package import Host

/// The hashes for one-time passwords (RFC 4226 §5, RFC 6238 §1.2).
package enum OTPHash: String, CaseIterable, Sendable {
  case sha1 = "SHA-1"
  case sha256 = "SHA-256"
  case sha512 = "SHA-512"

  /// The size of its HMAC in bytes.
  package var size: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }
}

/// HMAC-based one-time passwords (RFC 4226); TOTP is the same with time steps as counters (RFC 6238
/// §4.2).
package enum HOTP {
  package static let digits = 6...8

  /// The code for a counter, in decimal digits.
  ///
  /// - Parameter digits: 6 to 8.
  package static func code(key: Span<UInt8>, counter: UInt64, digits: Int, hash: OTPHash)
    throws(CryptoError) -> SecretBuffer
  {
    guard Self.digits.contains(digits) else { throw .invalidInput }
    let message = counter.bigEndianBytes
    let tag = try authenticate(key: key, message.span, hash)
    // §5.3: dynamic truncation; with SHA-256 and SHA-512 the offset also comes from the last byte.
    let offset = UInt32(tag.bytes[tag.count - 1] & 0x0F)
    var number: UInt32 = 0
    // Every word is read, so that the cache does not show which one it is.
    for place in 0..<16 {
      let isHere = 0 &- (((UInt32(place) ^ offset) &- 1) >> 31)
      number |= word(tag.bytes, at: place) & isHere
    }
    return try text(of: number & 0x7FFF_FFFF, digits)
  }

  /// The full HMAC, when it serves as a key.
  package static func authenticate(key: Span<UInt8>, _ message: Span<UInt8>, _ hash: OTPHash)
    throws(CryptoError) -> SecretBuffer
  {
    let mac =
      switch hash {
      case .sha1: sha1
      case .sha256: HMACSHA256.mac
      case .sha512: HMAC.sha512
      }
    guard let mac else { throw .backend }
    return try mac.secretTag(key: key, message, count: hash.size)
  }

  static let sha1 = try? MAC("HMAC", "digest", "SHA1", keySize: 20)

  private static func word(_ bytes: Span<UInt8>, at place: Int) -> UInt32 {
    var word: UInt32 = 0
    for i in 0..<4 { word = word << 8 | UInt32(bytes[place + i]) }
    return word
  }

  private static func text(of number: UInt32, _ digits: Int) throws(CryptoError) -> SecretBuffer {
    var text = try SecretBuffer.make(digits)
    var out = text.mutableBytes
    var rest = number
    for place in (0..<digits).reversed() {
      out[place] = UInt8(ascii: "0") | UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    return text
  }
}
