extension Review {
  /// What a person has to look into, the gravest first, each with the section that says more.
  func attentionSection(keys: [KeyStanding]?) -> ReviewSection {
    let missing = gaps.filter(\.isUnexplained).map(\.text)
    let denied = results["denied"].map { ["policy denied \($0.count)"] } ?? []
    let callers = newCallers.sorted { $0.value.first < $1.value.first }.map { "\($0.key.text): \($0.value.count)" }
    let found: [(section: String, what: [String])] = [
      ("Gaps", missing), ("Exceptions", Self.lines(of: exceptionSection)), ("Refusals", denied), ("Unusual hours and rates", Self.lines(of: unusualSection)),
      ("New callers", callers), ("Keys that end soon", keySection(keys).rows.map { "\($0[0].text), \($0[1].text): ends \($0[2].text)" }),
      ("Quotas", quotaSection.rows.map { "\($0[0].text), \($0[1].text): \($0[4].text) used of \($0[3].text)" }),
    ]
    let rows = found.flatMap { section, what in what.map { [.text(section), .text($0)] as [ReviewSection.Cell] } }
    return ReviewSection(
      "attention", "Needs attention", note: "The named section has more of each.", ["Section", "What"], rows,
      empty: "No gap, exception, denied request, new caller or unusual hour; no key or quota near its end, as far as they are known.")
  }

  private static func lines(of section: ReviewSection) -> [String] { section.rows.map { $0.map(\.text).joined(separator: ": ") } }
}

extension ReviewSection {
  /// How many things a person has to look into, in words.
  static func attention(_ count: Int) -> String {
    switch count {
    case 0: "Nothing needs attention."
    case 1: "One thing needs attention."
    default: "\(count) things need attention."
    }
  }
}
