/// Arithmetic in GF(2⁸) in constant time: no look-up and no branch depends on an element.
package struct GF256: Sendable {
  /// The field's polynomial without the term x⁸.
  private let reduction: UInt64

  /// Modulo x⁸ + x⁴ + x³ + x + 1 (FIPS 197 §4.2, SLIP-0039).
  package static let aes = GF256(reduction: 0x1B)
  /// Modulo x⁸ + x⁴ + x³ + x² + 1 (ISO/IEC 18004 §7.5.2).
  package static let qrCode = GF256(reduction: 0x1D)

  /// Eight products at once: each byte of `elements` times `factor`.
  package func multiply(_ elements: UInt64, by factor: UInt8) -> UInt64 {
    var (product, power): (UInt64, UInt64) = (0, elements)
    for bit in 0..<8 {
      product ^= power & (0 &- UInt64(factor >> bit & 1))
      let carries = power >> 7 & 0x0101_0101_0101_0101
      power = (power & 0x7F7F_7F7F_7F7F_7F7F) << 1 ^ carries &* reduction
    }
    return product
  }

  package func multiply(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(multiply(UInt64(a), by: b)) }

  /// The inverse, computed as a²⁵⁴; 0 for 0.
  package func inverse(_ a: UInt8) -> UInt8 {
    var (result, square): (UInt8, UInt8) = (1, a)
    for _ in 0..<7 {
      square = multiply(square, square)
      result = multiply(result, square)
    }
    return result
  }
}
