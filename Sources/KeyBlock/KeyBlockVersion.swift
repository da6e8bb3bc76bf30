/// How a key block is protected: the first character of its text (X9.143 §5.3.1).
///
/// D is written and read. A, B and C protect with TDES and are only ever read, where a caller says that they may be; version E
/// (counter mode) is nobody's.
package enum KeyBlockVersion: UInt8, CaseIterable, Sendable {
  /// TDES under variants of the KBPK, a MAC of four bytes over the ciphertext.
  case a = 0x41
  /// TDES under keys derived by CMAC, a MAC of eight bytes over the plaintext.
  case b = 0x42
  /// As A, and with optional blocks.
  case c = 0x43
  /// AES under keys derived by CMAC, a MAC of sixteen bytes over the plaintext.
  case d = 0x44

  /// Bytes of the cipher's block; also characters that header and block are multiples of.
  var unit: Int {
    switch self {
    case .a, .b, .c: 8
    case .d: 16
    }
  }

  /// Bytes of the MAC.
  var macCount: Int {
    switch self {
    case .a, .c: 4
    case .b: 8
    case .d: 16
    }
  }
}
