package import Format

extension KeyInventory {
  /// The same on a page and on a terminal.
  package var sections: [ReviewSection] {
    [concernSection, keySection, lifeSection, checkSection, custodySection, requirementSection]
  }

  private var concernSection: ReviewSection {
    ReviewSection(
      "attention", "Attention", ["About", "What"],
      concerns.map { [.text($0.about), .text($0.text)] },
      empty: "No key is weak, without an end, at its end or past it, and all keys are listed.")
  }

  private var keySection: ReviewSection {
    ReviewSection(
      "keys", "Keys",
      note:
        "Bits of security are those of SP 800-57; a key pair has none against a quantum computer that is large enough.",
      ["Key", "Owner", "For", "Algorithm"],
      keys.map { key in
        let strength = key.strength.map { "\($0) bits" } ?? "not known"
        return [
          .text(key.label), .text(key.owner), .text(key.role),
          .text("\(key.algorithm), \(strength)" + (key.isPair ? " (quantum: 0)" : "")),
        ]
      },
      empty: "No key is there, or policy shows you none.")
  }

  private var lifeSection: ReviewSection {
    ReviewSection(
      "lives", "States, periods and uses",
      note: "A period is from activation to its end; uses are those that the audit log has.",
      ["Key", "State", "From", "To", "Last use", "Uses"],
      keys.map { key in
        let start =
          key.activated.map(\.day) ?? key.notBefore.map { "not before \($0.day)" }
          ?? "not activated"
        return [
          .text(key.label), .text(key.state), .text(start),
          .text(key.notAfter.map(\.day) ?? "no end"), .text(key.lastUse.map(\.day) ?? "never"),
          key.useLimit.map { .text("\(key.uses) of \($0)") } ?? .number(key.uses),
        ]
      }, empty: "No key is there.")
  }

  private var checkSection: ReviewSection {
    ReviewSection(
      "checks", "How keys are recognised",
      note:
        "The check value of a symmetric key, or SHA-256 of a public key; the header of the X9.143 key block is usage, algorithm and mode.",
      ["Key", "Id", "Check", "Value", "Header"],
      keys.map { key in
        [
          .text(key.label), .text(key.id), .text(key.check.name), .text(key.check.value),
          .text(key.header),
        ]
      }, empty: "No key is there.")
  }

  private var custodySection: ReviewSection {
    let rows: [[ReviewSection.Cell]] =
      custody?.holdings.map {
        [.text($0.custodian), .text($0.user), .text("\($0.group)"), .text($0.fingerprint)]
      } ?? []
    return ReviewSection(
      "custody", "Place and custody", note: placeText, ["Custodian", "User", "Group", "Share"],
      rows,
      empty: "Nobody is named here.")
  }

  private var placeText: String {
    let keys =
      "Every key is one X9.143 block of version D in the key store of \(place.host), under a key derived from an AES-256 key-encryption key; "
      + "while the daemon is unlocked they are in its memory (\(place.memory))."
    guard let custody else { return keys }
    return keys
      + " The key-encryption key (KCV \(custody.kcv)) comes together from \(custody.rule), as the register claims that was given."
  }

  private var requirementSection: ReviewSection {
    ReviewSection(
      "requirements", "PCI DSS 4.0.1",
      note: "What of requirements 3.6, 3.7 and 12.3.3 this page answers, and where the rest is.",
      ["Requirement", "Asks for", "Answer"],
      requirements.map { [.text($0.number), .text($0.subject), .text($0.answer)] }, empty: "")
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

extension KeyInventory {
  /// Something that a person should look into.
  struct Concern {
    /// The key's label, or another subject.
    let about: String
    let text: String
  }

  var concerns: [Concern] {
    var found: [Concern] = []
    if place.isRehearsal {
      found.append(
        Concern(
          about: place.host,
          text: "a rehearsal's key store: none of these keys may serve production"))
    }
    if keys.count < place.keyCount {
      let text =
        "the daemon has \(place.keyCount) keys and showed \(keys.count): list-keys needs a grant for keys = [\"*\"]"
      found.append(Concern(about: place.host, text: text))
    }
    if custody == nil {
      found.append(
        Concern(
          about: "key-encryption key",
          text: "no custodian is named: --custodians takes the key store's custodians.json"))
    }
    for key in keys { found += key.concerns(at: made).map { Concern(about: key.label, text: $0) } }
    return found
  }
}

extension KeyInventory.Entry {
  fileprivate func concerns(at now: Timestamp) -> [String] {
    guard state != "destroyed" else { return [] }
    var found: [String] = []
    if let strength, strength < Self.leastStrength {
      found.append("\(strength) bits of security, fewer than \(Self.leastStrength)")
    }
    if strength == nil { found.append("an algorithm whose strength is not known") }
    if let notAfter {
      let seconds = notAfter.seconds - now.seconds
      if seconds < 0 { found.append("its period ended on \(notAfter.day), and it is \(state)") }
      if (0..<Self.warning).contains(seconds) { found.append("its period ends on \(notAfter.day)") }
    } else if state == "active", !isOfTheLog {
      found.append("active, and no end of its period is set")
    }
    return found
  }

  /// The log's own keys end with the log.
  private var isOfTheLog: Bool { role.hasPrefix("audit-") }

  /// SP 800-131A r2: keys of lower strength must not protect new data.
  private static let leastStrength = 112
  /// 30 days, in seconds.
  private static let warning: Int64 = 30 * 86_400
}

extension KeyInventory {
  struct Requirement {
    let number, subject, answer: String
  }

  /// PCI DSS 4.0.1, in our own words.
  var requirements: [Requirement] {
    [
      Requirement(
        number: "3.6.1",
        subject: "fewest custodians; a KEK as strong as what it protects, and apart from it",
        answer:
          "\(custodians). The KEK has 256 bits, no key here has more; it is not stored with the keys where it is split."
      ),
      Requirement(
        number: "3.6.1.1", subject: "the keys, their strength, use and expiry",
        answer: "Keys; States, periods and uses; docs/THREATS.md has the architecture"),
      Requirement(
        number: "3.6.1.2, 3.7.3", subject: "how secret keys are stored",
        answer: "encrypted under the KEK, as authenticated key blocks (X9.143); Place and custody"),
      Requirement(
        number: "3.6.1.3", subject: "who may have cleartext components",
        answer: "\(custodians); a share alone reveals nothing of the KEK"),
      Requirement(
        number: "3.6.1.4", subject: "fewest locations",
        answer: "one key store on \(place.host); name its backups yourself"),
      Requirement(
        number: "3.7.1, 3.7.2", subject: "generation and distribution",
        answer: "key-generated and key-imported in the audit log: kist audit show --op key-imported"
      ),
      Requirement(number: "3.7.4", subject: "an end of each key's period", answer: ended),
      Requirement(
        number: "3.7.5", subject: "retirement, replacement, destruction",
        answer: states + "; each change with its time in the audit log"),
      Requirement(
        number: "3.7.6", subject: "split knowledge and dual control",
        answer: custody.map { "the KEK comes together from \($0.rule)" }
          ?? "not shown: no custodian is named"),
      Requirement(
        number: "3.7.7", subject: "no substitution of keys",
        answer: "blocks and manifest are authenticated; How keys are recognised has what to compare"
      ),
      Requirement(
        number: "3.7.8", subject: "custodians acknowledge their duty",
        answer: "keep the signed forms of those under Place and custody; Kist has none"),
      Requirement(
        number: "12.3.3", subject: "cipher suites in use, reviewed each year",
        answer:
          "\(algorithms); \(keys.count(where: \.isPair)) of them are pairs, which quantum computers break: Keys has their owners"
      ),
    ]
  }

  private var custodians: String {
    custody.map { "\($0.holdings.count) custodians" } ?? "custodians are not named"
  }

  private var ended: String {
    let live = keys.filter { $0.state != "destroyed" }
    let open = live.count { $0.notAfter == nil }
    return open == 0
      ? "every key has one"
      : "\(live.count - open) of \(live.count) keys have one; Attention names the others that are active"
  }

  private var states: String { Self.counts(keys.map(\.state)) }
  private var algorithms: String { Self.counts(keys.map(\.algorithm)) }

  private static func counts(_ names: [String]) -> String {
    let counted = Dictionary(grouping: names) { $0 }.mapValues(\.count).sorted { $0.key < $1.key }
    return counted.isEmpty
      ? "none" : counted.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}

extension KeyInventory {
  package var json: CanonicalJSON {
    [
      "attention": concerns.map { ["about": $0.about, "what": $0.text] as CanonicalJSON },
      "custodians": custody?.holdings.map(\.json) ?? [], "custody_rule": custody?.rule ?? "",
      "host": place.host, "keys": keys.map(\.json), "keys_in_daemon": place.keyCount,
      "made": made.wholeSeconds, "memory": place.memory, "rehearsal": place.isRehearsal,
      "requirements": requirements.map {
        ["answer": $0.answer, "number": $0.number] as CanonicalJSON
      },
      "version": place.version,
    ]
  }
}

extension KeyInventory.Entry {
  fileprivate var json: CanonicalJSON {
    return [
      "activated": activated?.wholeSeconds, "algorithm": algorithm,
      "created": created?.wholeSeconds, "header": header, "id": id,
      "label": label, "last_use": lastUse?.wholeSeconds, "not_after": notAfter?.wholeSeconds,
      "not_before": notBefore?.wholeSeconds, "owner": owner, "role": role, "state": state,
      "strength": strength, "use_limit": useLimit, "uses": uses,
      check.member: check.value,
    ]
  }
}

extension KeyInventory.Check {
  fileprivate var member: String {
    switch self {
    case .kcv: "kcv"
    case .spkiHash: "spki_sha256"
    }
  }
}

extension KeyInventory.Custody.Holding {
  fileprivate var json: CanonicalJSON {
    [
      "custodian": custodian, "group": group, "share": fingerprint, "user": user,
    ]
  }
}
