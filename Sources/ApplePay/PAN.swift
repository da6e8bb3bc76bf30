internal import CConstantTime
package import CryptoBackend
internal import SecretMemory

/// Primary account numbers (ISO/IEC 7812-1) from which surrogates and envelopes can be made.
package enum PAN {
  /// ISO/IEC 7812-1 allows 19 digits; with fewer than ten, fewer than six would be left to encrypt.
  package static let lengths = 10...19
  /// How many of the last digits may be shown, and stay in a surrogate (PCI DSS 3.4.1).
  static let shown = 4

  /// Whether these are ASCII digits, and as many as a PAN has.
  package static func hasForm(_ text: Span<UInt8>) -> Bool {
    lengths.contains(text.count) && ConstantTime.areDigits(text)
  }

  /// Whether the last of these ASCII digits is the check digit of the others: Luhn's formula (ISO/IEC 7812-1 annex B).
  package static func isLuhnValid(_ digits: Span<UInt8>) -> Bool {
    var sum: UInt16 = 0
    for i in digits.indices {
      let digit = UInt16(digits[i] & 0x0F)
      let isDoubled = (digits.count - i).isMultiple(of: 2)
      // Twice the digit; if that has two digits, their sum.
      sum &+= isDoubled ? 2 &* digit &- 9 &* ((2 &* digit &+ 6) >> 4) : digit
    }
    // Callers refuse a wrong check digit, and walk the cycle of a surrogate (`Surrogate`).
    return kist_declassified(sum.isMultiple(of: 10))
  }
}

/// Why an operation on a PAN, its surrogate or its envelope failed.
package enum PANError: Error, Hashable, Sendable {
  /// Not ten to nineteen digits, or with a wrong check digit.
  case notPAN
  /// No surrogate of this key and merchant.
  case notSurrogate
  /// No envelope of this key, merchant and transaction.
  case notEnvelope
  case expired
  case crypto(CryptoError)
}
