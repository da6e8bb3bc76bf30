/// How a key block is protected: the first character of its text (X9.143 §5.3.1).
///
/// D is written and read. A, B and C use TDES and are only read, and only if the caller allows it. Version E (counter mode) is not
/// supported.
package enum KeyBlockVersion: UInt8, CaseIterable, Sendable {
  /// TDES under variants of the KBPK; a MAC of four bytes over the ciphertext.
  case a = 0x41
  /// TDES under keys derived with CMAC; a MAC of eight bytes over the plaintext.
  case b = 0x42
  /// As A, but with optional blocks.
  case c = 0x43
  /// AES under keys derived with CMAC; a MAC of sixteen bytes over the plaintext.
  case d = 0x44

  /// The cipher's block size in bytes; header and block are multiples of as many characters.
  var unit: Int {
    switch self {
    case .a, .b, .c: 8
    case .d: 16
    }
  }

  /// The size of the MAC in bytes.
  var macCount: Int {
    switch self {
    case .a, .c: 4
    case .b: 8
    case .d: 16
    }
  }
}
