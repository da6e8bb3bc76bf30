import Crypto
import Testing

@Suite struct GF256Tests {
  private static let fields = [(GF256.aes, 0x11B), (.qrCode, 0x11D)]

  /// The product by long division, which is what multiplication is defined as.
  private func product(_ a: UInt8, _ b: UInt8, _ polynomial: Int) -> UInt8 {
    var sum = 0
    for bit in 0..<8 where b >> UInt8(bit) & 1 == 1 { sum ^= Int(a) << bit }
    for bit in (8..<16).reversed() where sum >> bit & 1 == 1 { sum ^= polynomial << (bit - 8) }
    return UInt8(sum)
  }

  @Test(arguments: fields) func everyProductAndInverse(_ field: GF256, _ polynomial: Int) {
    for a in UInt8.min...UInt8.max {
      for b in UInt8.min...UInt8.max where field.multiply(a, b) != product(a, b, polynomial) {
        Issue.record("\(a) × \(b)")
      }
      #expect(field.multiply(a, field.inverse(a)) == (a == 0 ? 0 : 1))
    }
  }

  @Test func publishedValues() {
    #expect(GF256.aes.multiply(0x57, 0x83) == 0xC1, "FIPS 197 §4.2")
    // α⁸ = α⁴ + α³ + α² + 1, which ISO/IEC 18004 gives as 11101.
    #expect(GF256.qrCode.multiply(0x80, 2) == 0b11101, "ISO/IEC 18004 §7.5.2")
  }

  @Test(arguments: fields) func eightProductsAtOnceAreEight(_ field: GF256, _ polynomial: Int) {
    let elements: UInt64 = 0x00FF_1B80_5763_0142
    for factor in UInt8.min...UInt8.max {
      let products = field.multiply(elements, by: factor)
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        #expect(
          UInt8(truncatingIfNeeded: products >> shift)
            == product(UInt8(truncatingIfNeeded: elements >> shift), factor, polynomial))
      }
    }
  }
}
