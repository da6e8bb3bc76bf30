internal import Format

extension KeyInventory {
  /// The same on a page and on a terminal.
  package var sections: [ReviewSection] { [concernSection, keySection, lifeSection, checkSection, custodySection, requirementSection] }

  private var concernSection: ReviewSection {
    ReviewSection(
      "attention", "Attention", ["About", "What"], concerns.map { [.text($0.about), .text($0.text)] },
      empty: "No key is weak, without an end, at its end or past it, and all keys are listed.")
  }

  private var keySection: ReviewSection {
    ReviewSection(
      "keys", "Keys", note: "Bits of security are those of SP 800-57; a key pair has none against a quantum computer that is large enough.",
      ["Key", "Owner", "For", "Algorithm"],
      keys.map { key in
        let strength = key.strength.map { "\($0) bits" } ?? "not known"
        return [.text(key.label), .text(key.owner), .text(key.role), .text("\(key.algorithm), \(strength)" + (key.isPair ? " (quantum: 0)" : ""))]
      },
      empty: "No key is there, or policy shows you none.")
  }

  private var lifeSection: ReviewSection {
    ReviewSection(
      "lives", "States, periods and uses", note: "A period is from activation to its end; uses are those that the audit log has.",
      ["Key", "State", "From", "To", "Last use", "Uses"],
      keys.map { key in
        let start = key.activated.map(\.day) ?? key.notBefore.map { "not before \($0.day)" } ?? "not activated"
        return [
          .text(key.label), .text(key.state), .text(start), .text(key.notAfter.map(\.day) ?? "no end"), .text(key.lastUse.map(\.day) ?? "never"),
          key.useLimit.map { .text("\(key.uses) of \($0)") } ?? .number(key.uses),
        ]
      }, empty: "No key is there.")
  }

  private var checkSection: ReviewSection {
    ReviewSection(
      "checks", "How keys are recognised",
      note: "The check value of a symmetric key, or SHA-256 of a public key; the header of the X9.143 key block is usage, algorithm and mode.",
      ["Key", "Id", "Check", "Value", "Header"],
      keys.map { key in [.text(key.label), .text(key.id), .text(key.check.name), .text(key.check.value), .text(key.header)] }, empty: "No key is there.")
  }

  private var custodySection: ReviewSection {
    let rows: [[ReviewSection.Cell]] =
      custody?.holdings.map { [.text($0.custodian), .text($0.user), .text("\($0.group)"), .text($0.fingerprint)] } ?? []
    return ReviewSection(
      "custody", "Place and custody", note: placeText, ["Custodian", "User", "Group", "Share"], rows,
      empty: "Nobody is named here.")
  }

  private var placeText: String {
    let keys =
      "Every key is one X9.143 block of version D in the key store of \(place.host), under a key derived from an AES-256 key-encryption key; "
      + "while the daemon is unlocked they are in its memory (\(place.memory))."
    guard let custody else { return keys }
    return keys + " The key-encryption key (KCV \(custody.kcv)) comes together from \(custody.rule), as the register claims that was given."
  }

  private var requirementSection: ReviewSection {
    ReviewSection(
      "requirements", "PCI DSS 4.0.1", note: "What of requirements 3.6, 3.7 and 12.3.3 this page answers, and where the rest is.",
      ["Requirement", "Asks for", "Answer"], requirements.map { [.text($0.number), .text($0.subject), .text($0.answer)] }, empty: "")
  }
}

extension KeyInventory.Check {
  var name: String {
    switch self {
    case .kcv: "KCV"
    case .spkiHash: "SPKI SHA-256"
    }
  }

  var value: String {
    switch self {
    case .kcv(let digits), .spkiHash(let digits): digits
    }
  }
}
