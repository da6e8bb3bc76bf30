extension KeyInventory {
  struct Requirement {
    let number, subject, answer: String
  }

  /// PCI DSS 4.0.1, in our own words.
  var requirements: [Requirement] {
    [
      Requirement(
        number: "3.6.1", subject: "fewest custodians; a KEK as strong as what it protects, and apart from it",
        answer: "\(custodians). The KEK has 256 bits, no key here has more; it is not stored with the keys where it is split."),
      Requirement(
        number: "3.6.1.1", subject: "the keys, their strength, use and expiry", answer: "Keys; States, periods and uses; docs/THREATS.md has the architecture"),
      Requirement(
        number: "3.6.1.2, 3.7.3", subject: "how secret keys are stored",
        answer: "encrypted under the KEK, as authenticated key blocks (X9.143); Place and custody"),
      Requirement(number: "3.6.1.3", subject: "who may have cleartext components", answer: "\(custodians); a share alone reveals nothing of the KEK"),
      Requirement(number: "3.6.1.4", subject: "fewest locations", answer: "one key store on \(place.host); name its backups yourself"),
      Requirement(
        number: "3.7.1, 3.7.2", subject: "generation and distribution",
        answer: "key-generated and key-imported in the audit log: kist audit show --op key-imported"),
      Requirement(number: "3.7.4", subject: "an end of each key's period", answer: ended),
      Requirement(number: "3.7.5", subject: "retirement, replacement, destruction", answer: states + "; each change with its time in the audit log"),
      Requirement(
        number: "3.7.6", subject: "split knowledge and dual control",
        answer: custody.map { "the KEK comes together from \($0.rule)" } ?? "not shown: no custodian is named"),
      Requirement(
        number: "3.7.7", subject: "no substitution of keys", answer: "blocks and manifest are authenticated; How keys are recognised has what to compare"),
      Requirement(
        number: "3.7.8", subject: "custodians acknowledge their duty", answer: "keep the signed forms of those under Place and custody; Kist has none"),
      Requirement(
        number: "12.3.3", subject: "cipher suites in use, reviewed each year",
        answer: "\(algorithms); \(keys.count(where: \.isPair)) of them are pairs, which quantum computers break: Keys has their owners"),
    ]
  }

  private var custodians: String { custody.map { "\($0.holdings.count) custodians" } ?? "custodians are not named" }

  private var ended: String {
    let live = keys.filter { $0.state != "destroyed" }
    let open = live.count { $0.notAfter == nil }
    return open == 0 ? "every key has one" : "\(live.count - open) of \(live.count) keys have one; Attention names the others that are active"
  }

  private var states: String { Self.counts(keys.map(\.state)) }
  private var algorithms: String { Self.counts(keys.map(\.algorithm)) }

  private static func counts(_ names: [String]) -> String {
    let counted = Dictionary(grouping: names) { $0 }.mapValues(\.count).sorted { $0.key < $1.key }
    return counted.isEmpty ? "none" : counted.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}
