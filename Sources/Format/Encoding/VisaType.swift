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
