/// The token formats that Apple documents, with their numbers on our wire.
package enum ApplePayTokenVersion: UInt8, CaseIterable, Sendable {
  case ecV1 = 1
  case rsaV1 = 2

  /// The name in Apple's JSON.
  package var name: String {
    switch self {
    case .ecV1: "EC_v1"
    case .rsaV1: "RSA_v1"
    }
  }
}

/// How a pass's payment data names the card: the columns of table 9-1 of Apple's guide, with their
/// numbers on our wire.
package enum PassConfiguration: UInt8, CaseIterable, Sendable {
  /// By its number.
  case accountNumber = 1
  /// By an identifier that network and issuer share.
  case accountIdentifier = 2
  /// By its number, encrypted for the network; with or without the name, which Apple or the network
  /// may waive.
  case encryptedAccountNumber = 3
  case encryptedAccountNumberUnnamed = 4
}

/// The types of Visa's strings, with their numbers on our wire.
package enum VisaType: UInt8, CaseIterable, Sendable {
  /// Activation data: nonce and authentication code.
  case mbpac = 1
  /// Authentication data: card number, expiry and moment.
  case mbpad = 2
  /// The newer names of the two.
  case mpac = 3
  case mpad = 4

  package var name: String {
    switch self {
    case .mbpac: "MBPAC"
    case .mbpad: "MBPAD"
    case .mpac: "MPAC"
    case .mpad: "MPAD"
    }
  }

  /// Whether the text is about the card, not the activation.
  package var isAccount: Bool { self == .mbpad || self == .mpad }
}
