import Format
import KistClient
import Policy
import Review

/// A merchant's key that is to be replaced, and its successor.
struct Rotation {
  let old, new: Key
  private let now: Timestamp

  init(_ old: Key, _ new: Key, now: Timestamp) {
    self.old = old
    self.new = new
    self.now = now
  }

  struct Check {
    let name: String
    let isMet: Bool
    /// What to do if it fails.
    let advice: String

    var text: String { isMet ? "ok     \(name)\n" : "FAILS  \(name)\n       \(advice)\n" }
    var json: CanonicalJSON { ["check": name, "ok": isMet] }
  }

  /// Whether the new key can take over, as far as the keys themselves show.
  var checks: [Check] {
    let end = new.notAfter ?? .max
    let oldEnd = old.notAfter ?? .max
    let another = "make another: kist key generate"
    return [
      Check(
        name: "two keys of the same role and merchant", isMet: isPair,
        advice: "\(old.owner) and \(new.owner)"),
      Check(
        name: "the old key is active: \(old.state)", isMet: old.state == "active",
        advice: "there is nothing to take over; to use the new key alone: kist key activate"),
      Check(
        name: "the new key is active, or can be: \(new.state)",
        isMet: ["pre-active", "active"].contains(new.state), advice: another),
      Check(
        name: "the new key has its certificate", isMet: !new.certificate.isEmpty,
        advice:
          "kist key csr \(new.label), and kist key attach \(new.label) FILE with the certificate that Apple makes"
      ),
      Check(
        name: "the new key ends later: \(new.lastDay), and the old one \(old.lastDay)",
        isMet: oldEnd < end,
        advice:
          "\(another); where a key has no end yet, its certificate gives it one: kist key attach"),
      Check(name: "the new key is not over", isMet: end > now.seconds, advice: another),
    ]
  }

  /// Whether no caller loses access to the merchant's tokens when the old key ends.
  func check(_ policy: Policy) -> Check {
    let behind = policy.rules.filter { rule in
      rule.keys.contains { $0.covers(old.label) } && !rule.keys.contains { $0.covers(new.label) }
    }
    let names = behind.map(\.id).joined(separator: ", ")
    return Check(
      name: "every grant that covers the old key covers the new one"
        + (behind.isEmpty ? "" : "; not \(names)"), isMet: behind.isEmpty,
      advice:
        "add \(new.label) to the keys of \(names); then kist policy swap, and systemctl reload kistd"
    )
  }

  /// When the last token came under each key.
  var lastTokens: String {
    [old, new].map { "last \($0.event) under \($0.label): \(lastUse(of: $0))\n" }.joined()
  }

  /// Why the old key should not be retired yet; nil if there is no reason.
  func objection(quietDays: Int64) -> String? {
    if let mismatch { return mismatch }
    guard old.state == "active" else {
      return "\(old.label) is \(old.state): there is nothing to retire"
    }
    guard new.state == "active" else {
      return "\(new.label) is \(new.state): without \(old.label) the merchant has no key"
    }
    guard new.lastUse != nil else {
      return "no \(new.event) has come under \(new.label) yet: is its certificate active at Apple?"
    }
    guard let days = daysSinceUse(of: old), days < quietDays else { return nil }
    return
      "\(old.label) had a \(old.event) \(Self.ago(days)); wait until it has been quiet for \(quietDays) days, or retire it now with --quiet 0"
  }

  /// Why one key can never replace the other.
  var mismatch: String? {
    guard old.id != new.id else { return "OLD and NEW are both \(old.label)" }
    return isPair
      ? nil : "\(old.owner) and \(new.owner) are not two keys of the same role and merchant"
  }

  private var isPair: Bool {
    old.id != new.id && old.role == new.role && !old.merchantIdentifier.isEmpty
      && old.merchantIdentifier == new.merchantIdentifier
  }

  private func lastUse(of key: Key) -> String {
    guard let days = daysSinceUse(of: key) else { return "none yet" }
    return "\(Key.text(key.lastUse, \.wholeSeconds)), \(Self.ago(days)); \(key.uses) in all"
  }

  private func daysSinceUse(of key: Key) -> Int64? {
    key.lastUse.flatMap(Timestamp.init(reported:)).map { max(now.days(after: $0), 0) }
  }

  /// Whole days of 24 hours.
  private static func ago(_ days: Int64) -> String {
    switch days {
    case 0: "in the last 24 hours"
    case 1: "1 day ago"
    default: "\(days) days ago"
    }
  }
}

extension Key {
  /// The key with its role and merchant.
  fileprivate var owner: String {
    "\(label) (\(role)\(merchantIdentifier.isEmpty ? "" : " of \(merchantIdentifier)"))"
  }

  /// What a use of the key is called.
  fileprivate var event: String { role.hasPrefix("merchant-processing") ? "token" : "use" }

  fileprivate var lastDay: String { notAfter == nil ? "never" : Key.text(notAfter, \.day) }
}
