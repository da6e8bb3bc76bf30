internal import Encoding
internal import KistClient
internal import Policy

/// A merchant's key that is to end, and the one that takes over.
struct Rotation {
  let old, new: Key
  private let now: Timestamp

  init(_ old: Key, _ new: Key, now: Timestamp) { (self.old, self.new, self.now) = (old, new, now) }

  struct Check {
    let name: String
    let isMet: Bool

    var text: String { "\(isMet ? "ok    " : "FAILS ") \(name)\n" }
    var json: CanonicalJSON { .object([.init("check", .string(name)), .init("ok", .bool(isMet))]) }
  }

  /// Whether the new key can take over, as far as the keys themselves tell.
  var checks: [Check] {
    let ends = [old, new].map { $0.notAfter ?? .max }
    return [
      Check(name: "two keys of one role, of one merchant", isMet: isPair),
      Check(name: "the old key is active: \(old.state)", isMet: old.state == "active"),
      Check(name: "the new key is active, or can be: \(new.state)", isMet: ["pre-active", "active"].contains(new.state)),
      Check(name: "the new key has its certificate", isMet: !new.certificate.isEmpty),
      Check(name: "the new key ends later: \(new.expiry(now, \.day)) after \(old.expiry(now, \.day))", isMet: ends[0] < ends[1]),
      Check(name: "the new key is not over", isMet: ends[1] > now.seconds),
    ]
  }

  /// Whether nobody loses the merchant's tokens with the old key.
  func check(_ policy: Policy) -> Check {
    let behind = policy.rules.filter { rule in
      rule.keys.contains { $0.covers(old.label) } && !rule.keys.contains { $0.covers(new.label) }
    }
    let names = behind.map(\.id).joined(separator: ", ")
    return Check(name: "every grant that covers the old key covers the new one" + (behind.isEmpty ? "" : "; not \(names)"), isMet: behind.isEmpty)
  }

  /// When each key was used last: for a merchant's key, the last token.
  var lastTokens: String {
    [old, new].map { "last use of \($0.label): \(Key.text($0.lastUse, \.wholeSeconds)), \($0.uses) in all\n" }.joined()
  }

  /// Why the old key should not be retired yet; nil where nothing speaks against it.
  func objection(quietDays: Int64) -> String? {
    guard isPair else { return "these are not two keys of one role, of one merchant" }
    guard new.state == "active" else { return "\(new.label) is \(new.state): without \(old.label) the merchant has no key" }
    guard new.lastUse != nil else { return "\(new.label) has not been used yet: is its certificate active at Apple?" }
    guard let last = old.lastUse.flatMap(Timestamp.init(reported:)), quietDays > 0 else { return nil }
    let days = now.days(after: last)
    guard days < quietDays else { return nil }
    return "\(old.label) was used \(days == 0 ? "today" : "\(days) days ago"); wait until it has been quiet for \(quietDays) days, or say --quiet 0"
  }

  private var isPair: Bool {
    old.id != new.id && old.role == new.role && !old.merchantIdentifier.isEmpty && old.merchantIdentifier == new.merchantIdentifier
  }
}
