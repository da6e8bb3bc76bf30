/// A field of a provisioning request that can be named as the cause of a refusal; numbers are never reused.
///
/// The first ten are the members of Apple's payment data in alphabetical order.
package enum PassField: UInt8, CaseIterable, Sendable {
  case encryptedPrimaryAccountNumber = 1
  case expiration = 2
  case name = 3
  case networkName = 4
  case nonce = 5
  case nonceSignature = 6
  case primaryAccountIdentifier = 7
  case primaryAccountNumber = 8
  case primaryAccountNumberPrefix = 9
  case productType = 10
  case accountEnvelope = 11
  case activation = 12
  case accountSurrogate = 13

  /// The name in audit records.
  package var name: String {
    switch self {
    case .encryptedPrimaryAccountNumber: "encrypted-primary-account-number"
    case .expiration: "expiration"
    case .name: "name"
    case .networkName: "network-name"
    case .nonce: "nonce"
    case .nonceSignature: "nonce-signature"
    case .primaryAccountIdentifier: "primary-account-identifier"
    case .primaryAccountNumber: "primary-account-number"
    case .primaryAccountNumberPrefix: "primary-account-number-prefix"
    case .productType: "product-type"
    case .accountEnvelope: "account-envelope"
    case .activation: "activation"
    case .accountSurrogate: "account-surrogate"
    }
  }
}
