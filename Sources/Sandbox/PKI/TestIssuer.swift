package import KeyStore

/// An issuer's key in a sandbox; the raw value names it in its label and its files.
package enum TestIssuer: String, CaseIterable, Sendable {
  /// Makes Visa's values; the network has the same key.
  case visa
  /// Signs Mastercard's values; the network has the public key.
  case mastercard
  /// Seals card numbers for the issuer's own files.
  case cards

  /// The key's label in the sandbox's store.
  package var label: String { "issuer/\(rawValue)/sandbox" }

  package var role: KeyRole {
    switch self {
    case .visa: .otpVisa
    case .mastercard: .otpMastercard
    case .cards: .sealing
    }
  }

  package var otp: OTPAttributes? {
    switch self {
    case .visa: .visa(keySet: Self.keySet)
    case .mastercard: .mastercard(alias: Self.keyAlias)
    case .cards: nil
    }
  }

  /// Visa's name for its key.
  package static let keySet = "sandbox.1"
  /// MDES's name for its key.
  package static let keyAlias = "sandbox.1"
}
