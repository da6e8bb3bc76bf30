/// What the wrapped key is a key of (X9.143 §5.3.3).
package enum KeyBlockAlgorithm: UInt8, CaseIterable, Sendable {
  case aes = 0x41  // A
  case des = 0x44  // D
  case ellipticCurve = 0x45  // E
  case hmac = 0x48  // H
  case rsa = 0x52  // R
  case dsa = 0x53  // S
  case tripleDES = 0x54  // T

  /// Whether a key of `count` bytes can be one of this algorithm's; in blocks of old machines `T` is also a key of one length.
  func allows(byteCount count: Int, in version: KeyBlockVersion) -> Bool {
    switch self {
    case .aes: count == 16 || count == 24 || count == 32
    case .des: count == 8
    case .tripleDES: count == 16 || count == 24 || (count == 8 && version != .d)
    case .ellipticCurve, .hmac, .rsa, .dsa: count > 0
    }
  }

  /// Bytes a shorter key is padded to, so that a block's length does not tell its key's.
  var maskedByteCount: Int {
    switch self {
    case .aes, .hmac: 32
    case .des, .tripleDES: 24
    case .ellipticCurve, .rsa, .dsa: 0
    }
  }
}
