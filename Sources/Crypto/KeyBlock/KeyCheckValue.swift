import CConstantTime
import Format

/// The KCV: a few bytes that tell whether two sides hold the same symmetric key, and reveal nothing
/// else about it.
package struct KeyCheckValue: Hashable, Sendable {
  /// Five bytes for an AES or HMAC key, three for a TDES key.
  package let bytes: [UInt8]

  /// AES: the first five bytes of CMAC(key, 0¹⁶) (X9.143 annex A). Never ECB, since that would
  /// reveal a block encrypted with the key.
  package static func aes(_ key: Span<UInt8>) throws(CryptoError) -> KeyCheckValue {
    let zeros: InlineArray<16, UInt8> = InlineArray(repeating: 0)
    return try KeyCheckValue(open: BlockCipher.aes.cmac(key: key, message: zeros.span).prefix(5))
  }

  /// TDES: the first three bytes of ECB(key, 0⁸).
  package static func tripleDES(_ key: Span<UInt8>) throws(CryptoError) -> KeyCheckValue {
    let zeros: InlineArray<8, UInt8> = InlineArray(repeating: 0)
    let block = try BlockCipher.tripleDES.encrypt(key: key, iv: zeros.span, plaintext: zeros.span)
    return KeyCheckValue(open: block.prefix(3))
  }

  /// HMAC-SHA-256: the first five bytes of HMAC(key, 0¹⁶), our own choice, since X9.143 defines
  /// none.
  package static func hmac(_ key: Span<UInt8>) throws(CryptoError) -> KeyCheckValue {
    let zeros = [UInt8](repeating: 0, count: 16)
    return KeyCheckValue(open: try HMACSHA256.authenticate(key: key, zeros.span).bytes.prefix(5))
  }

  /// Parses three or five bytes in hexadecimal.
  package init?(hex text: some StringProtocol) {
    guard let bytes = Hex.decode(text), bytes.count == 3 || bytes.count == 5 else { return nil }
    self.bytes = bytes
  }

  /// The three-byte form that older machines and AWS print.
  package var short: KeyCheckValue { KeyCheckValue(open: bytes.prefix(3)) }

  /// Upper-case hexadecimal.
  package var hex: [UInt8] { UpperHex.encode(bytes.span) }

  /// - Parameter bytes: of a MAC or a block over zeros, which may be known.
  private init(open bytes: ArraySlice<UInt8>) {
    self.bytes = bytes.map { UInt8(kist_declassified_number(UInt64($0))) }
  }
}

extension KeyCheckValue: CustomStringConvertible {
  /// `08793E 25AB`: the three-byte form comes first, so that it can be compared.
  package var description: String {
    let digits = String(decoding: hex, as: UTF8.self)
    return bytes.count <= 3 ? digits : digits.prefix(6) + " " + digits.dropFirst(6)
  }
}
