extension VisaType {
  /// In Visa's strings.
  package var code: String {
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
