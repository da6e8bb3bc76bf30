/// The field of 256 elements modulo x⁸ + x⁴ + x³ + x + 1, as in AES; no look-up and no branch depends on an element.
enum GF256 {
  /// Eight products at once: each byte of `elements` times `factor`.
  static func multiply(_ elements: UInt64, by factor: UInt8) -> UInt64 {
    var (product, power): (UInt64, UInt64) = (0, elements)
    for bit in 0..<8 {
      product ^= power & (0 &- UInt64(factor >> bit & 1))
      let carries = power >> 7 & 0x0101_0101_0101_0101
      power = (power & 0x7F7F_7F7F_7F7F_7F7F) << 1 ^ carries &* 0x1B
    }
    return product
  }

  static func multiply(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(multiply(UInt64(a), by: b)) }

  /// The inverse as a²⁵⁴, which for 0 is 0.
  static func inverse(_ a: UInt8) -> UInt8 {
    var (result, square): (UInt8, UInt8) = (1, a)
    for _ in 0..<7 {
      square = multiply(square, square)
      result = multiply(result, square)
    }
    return result
  }
}
