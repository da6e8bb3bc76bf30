internal import CConstantTime

/// Luhn's formula (ISO/IEC 7812-1 annex B) on ASCII digits, in constant time.
enum Luhn {
  /// Whether the last digit is the check digit of the others.
  static func passes(_ digits: Span<UInt8>) -> Bool {
    // Callers refuse a wrong check digit, and walk the cycle of a surrogate (`Surrogate`).
    kist_declassified(remainder(digits) == 0)
  }

  /// The digit with which these pass, in ASCII, if it stands at `place`; what stands there now does not matter.
  static func digit(at place: Int, in digits: Span<UInt8>) -> UInt8 {
    let sum = 10 &- remainder(digits, without: place)
    let missing = sum &- 10 &* ((sum &+ 6) >> 4)
    // Half of it; if it is odd, nine were taken from twice the digit.
    return 0x30 &+ (isDoubled(place, digits.count) ? (missing &+ 9 &* (missing & 1)) >> 1 : missing)
  }

  /// Of the sum modulo ten.
  private static func remainder(_ digits: Span<UInt8>, without place: Int? = nil) -> UInt8 {
    var sum: UInt32 = 0
    for i in digits.indices where i != place {
      let digit = UInt32(digits[i] & 0x0F)
      // Twice the digit; if that has two digits, their sum.
      sum &+= isDoubled(i, digits.count) ? 2 &* digit &- 9 &* ((2 &* digit &+ 6) >> 4) : digit
    }
    // ⌊sum / 10⌋, for any sum below 16,389.
    return UInt8(truncatingIfNeeded: sum &- 10 &* ((sum &* 6554) >> 16))
  }

  private static func isDoubled(_ place: Int, _ count: Int) -> Bool { (count - place).isMultiple(of: 2) }
}
