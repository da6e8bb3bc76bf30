internal import Format
internal import Policy

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

  /// The terms, the grant, and when; empty if there is nothing to add.
  package var details: [String] {
    let time = example.map { ["not at all times, but at \($0.wholeSeconds)"] } ?? []
    let grants = (grants.count == 1 ? "grant " : "grants ") + grants.joined(separator: ", ")
    return switch effect {
    case .gains(let terms): ["by \(grants)"] + terms.words + time
    case .loses: ["it had \(grants)"] + time
    case .keeps(let differences): ["now by \(grants)"] + differences + time
    }
  }
}
