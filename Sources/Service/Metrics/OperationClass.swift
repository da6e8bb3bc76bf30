internal import Wire

/// Operations that take about as long as one another, by the blocks of their numbers.
enum OperationClass: Int, CaseIterable, Sendable {
  case general, tokens, passes, codes, primitives, cards, operators

  /// - Parameter opcode: of any request; those that no operation has count as general.
  init(_ opcode: UInt16) {
    self =
      switch opcode {
      case 0x0010..<0x0020: .tokens
      case 0x0020..<0x0030: .passes
      case 0x0030..<0x0040: .codes
      case 0x0040..<0x0050: .primitives
      case 0x0050..<0x0060: .cards
      case 0x0100...: .operators
      default: .general
      }
  }

  var name: String {
    switch self {
    case .general: "general"
    case .tokens: "tokens"
    case .passes: "passes"
    case .codes: "codes"
    case .primitives: "primitives"
    case .cards: "cards"
    case .operators: "operators"
    }
  }
}
