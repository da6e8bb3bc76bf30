/// The algorithm of the wrapped key (X9.143 §5.3.3).
package enum KeyBlockAlgorithm: UInt8, CaseIterable, Sendable {
  case aes = 0x41  // A
  case des = 0x44  // D
  case ellipticCurve = 0x45  // E
  case hmac = 0x48  // H
  case rsa = 0x52  // R
  case dsa = 0x53  // S
  case tripleDES = 0x54  // T

  /// Whether the algorithm has keys of `count` bytes; in old machines' blocks, `T` also stands for single-length keys.
  func allows(byteCount count: Int, in version: KeyBlockVersion) -> Bool {
    switch self {
    case .aes: count == 16 || count == 24 || count == 32
    case .des: count == 8
    case .tripleDES: count == 16 || count == 24 || (count == 8 && version != .d)
    case .ellipticCurve, .hmac, .rsa, .dsa: count > 0
    }
  }

  /// The length to which shorter keys are padded, so that a block's length does not reveal its key's.
  var maskedByteCount: Int {
    switch self {
    case .aes, .hmac: 32
    case .des, .tripleDES: 24
    case .ellipticCurve, .rsa, .dsa: 0
    }
  }
}
