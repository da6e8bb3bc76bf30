package import Crypto
internal import Host

/// Primary account numbers (ISO/IEC 7812-1) from which surrogates and envelopes can be made.
package enum PAN {
  /// ISO/IEC 7812-1 allows 19 digits; with fewer than ten, fewer than six would be left to encrypt.
  package static let lengths = 10...19

  /// Whether these are ASCII digits, and as many as a PAN has.
  package static func hasForm(_ text: Span<UInt8>) -> Bool {
    lengths.contains(text.count) && ConstantTime.areDigits(text)
  }

  /// Whether the last of these ASCII digits is the check digit of the others: Luhn's formula (ISO/IEC 7812-1 annex B).
  package static func isLuhnValid(_ digits: Span<UInt8>) -> Bool { Luhn.passes(digits) }
}

/// Why an operation on a PAN, its surrogate or its envelope failed.
package enum PANError: Error, Hashable, Sendable {
  /// Not ten to nineteen digits, or with a wrong check digit, or none that the merchant's format has a surrogate for.
  case notPAN
  /// No surrogate of this key, merchant and format.
  case notSurrogate
  /// No envelope of this key, merchant and transaction.
  case notEnvelope
  case expired
  case crypto(CryptoError)
}
