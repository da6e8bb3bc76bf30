import CConstantTime
package import Crypto
import Format
package import Host

/// Decodes secret hexadecimal text.
package enum SecretHex {
  /// Decodes digits of either case, ignoring spaces; nil for anything else and for no digits.
  ///
  /// - Throws: `CryptoError.exhausted`.
  package static func decode(_ text: Span<UInt8>) throws(CryptoError) -> SecretBuffer? {
    var count = 0
    for i in text.indices where isDigit(text[i]) { count += 1 }
    guard count > 0, count.isMultiple(of: 2) else { return nil }
    var decoded = try SecretBuffer.make(count / 2)
    var out = decoded.mutableBytes
    var next = 0
    for i in text.indices where isDigit(text[i]) {
      guard let digit = Hex.value(text[i]) else { return nil }
      out[next / 2] = out[next / 2] << 4 | digit
      next += 1
    }
    return decoded
  }

  /// Where spaces are is no secret.
  private static func isDigit(_ character: UInt8) -> Bool {
    kist_declassified(character != UInt8(ascii: " "))
  }
}
