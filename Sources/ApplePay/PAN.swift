import CConstantTime
package import Crypto
import Host

/// Primary account numbers (ISO/IEC 7812-1) from which surrogates and envelopes can be made.
package enum PAN {
  /// ISO/IEC 7812-1 allows 19 digits; with fewer than ten, fewer than six would be left to encrypt.
  package static let lengths = 10...19

  /// Whether these are ASCII digits, and as many as a PAN has.
  package static func hasForm(_ text: Span<UInt8>) -> Bool {
    lengths.contains(text.count) && ConstantTime.areDigits(text)
  }

  /// Whether the last of these ASCII digits is the check digit of the others: Luhn's formula
  /// (ISO/IEC 7812-1 annex B).
  package static func isLuhnValid(_ digits: Span<UInt8>) -> Bool { Luhn.passes(digits) }
}

/// Why an operation on a PAN, its surrogate or its envelope failed.
package enum PANError: Error, Hashable, Sendable {
  /// Not ten to nineteen digits, or with a wrong check digit, or none that the merchant's format
  /// has a surrogate for.
  case notPAN
  /// No surrogate of this key, merchant and format.
  case notSurrogate
  /// No envelope of this key, merchant and transaction.
  case notEnvelope
  case expired
  case crypto(CryptoError)
}

/// Luhn's formula (ISO/IEC 7812-1 annex B) on ASCII digits, in constant time.
enum Luhn {
  /// Whether the last digit is the check digit of the others.
  static func passes(_ digits: Span<UInt8>) -> Bool {
    // Callers refuse a wrong check digit, and walk the cycle of a surrogate (`Surrogate`).
    kist_declassified(remainder(digits) == 0)
  }

  /// The digit with which these pass, in ASCII, if it stands at `place`; what stands there now does
  /// not matter.
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

  private static func isDoubled(_ place: Int, _ count: Int) -> Bool {
    (count - place).isMultiple(of: 2)
  }
}
