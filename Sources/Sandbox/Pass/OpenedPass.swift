package import Format

/// A pass as Apple and the payment network see it; test data, so nothing here is secret.
package struct OpenedPass: Equatable, Sendable {
  package enum Activation: Equatable, Sendable {
    case none
    /// The value as it came.
    case unchecked(String)
    /// The value as it came, and what the network found in it.
    case checked(String, text: String)
  }

  package let members: PassMembers
  package let activation: Activation
  /// What Visa found in the encrypted number; nil if there is none, or it was not looked at.
  package let encryptedNumber: String?

  package var json: CanonicalJSON {
    let activation: CanonicalJSON? =
      switch activation {
      case .none: nil
      case .unchecked(let value): ["checked": .bool(false), "value": .string(value)]
      case .checked(let value, let text): ["checked": .bool(true), "text": .string(text), "value": .string(value)]
      }
    return ["activation": activation, "encrypted_number": encryptedNumber.map { .string($0) }, "pass": members.json]
  }
}
