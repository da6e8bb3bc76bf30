internal import Encoding
internal import Policy
internal import Wire

extension PolicyChange {
  /// `open-payment-token with merchant/acme/*`
  package var what: String { opcode.name + (key.map { " with \($0)" } ?? "") }

  /// `gains`, `loses` or `keeps`.
  package var verb: String {
    switch effect {
    case .gains: "gains"
    case .loses: "loses"
    case .keeps: "keeps"
    }
  }

  /// The terms, the grant, and when; empty where there is nothing to add.
  package var details: [String] {
    let time = example.map { ["not at all times, but at \($0.wholeSeconds)"] } ?? []
    return switch effect {
    case .gains(let grant, let terms): ["by grant \(grant)"] + terms.words + time
    case .loses(let grant): ["it had grant \(grant)"] + time
    case .keeps(let grant, let terms, let before): ["now by grant \(grant)"] + terms.words(insteadOf: before) + time
    }
  }
}
