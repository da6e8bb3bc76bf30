package import Encoding

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
    var all: [CanonicalJSON.Member] = [.init("pass", members.json)]
    switch activation {
    case .none: break
    case .unchecked(let value): all.append(.init("activation", .object([.init("checked", .bool(false)), .init("value", .string(value))])))
    case .checked(let value, let text):
      all.append(.init("activation", .object([.init("checked", .bool(true)), .init("text", .string(text)), .init("value", .string(value))])))
    }
    if let encryptedNumber { all.append(.init("encrypted_number", .string(encryptedNumber))) }
    return .object(all)
  }
}
