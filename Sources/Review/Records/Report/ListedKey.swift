package import Format

/// What a daemon says of one of its keys: an entry of `kist key list --json`.
package struct ListedKey: Hashable, Sendable {
  let label: String
  let state: String
  let uses: Int
  let notAfter: Timestamp?

  /// All keys of an answer; nil if it is no such answer.
  package static func list(_ json: CanonicalJSON) -> [ListedKey]? {
    guard case .object(let members) = json,
      case .array(let keys)? = members.first(where: { $0.name == "keys" })?.value
    else { return nil }
    let listed = keys.compactMap(ListedKey.init)
    return listed.count == keys.count ? listed : nil
  }

  private init?(_ json: CanonicalJSON) {
    guard case .object(let members) = json else { return nil }
    let values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    guard case .string(let label)? = values["label"], case .string(let state)? = values["state"],
      case .integer(let uses)? = values["uses"]
    else { return nil }
    self.label = label
    self.state = state
    self.uses = Int(uses)
    if case .string(let text)? = values["not_after"] {
      notAfter = Timestamp(text)
    } else {
      notAfter = nil
    }
  }

  var end: String { notAfter?.wholeSeconds ?? "" }

  /// Whole days until the key ends, if these are 30 or fewer.
  func daysLeft(at moment: Timestamp) -> Int? {
    guard let notAfter, notAfter.seconds - moment.seconds <= Self.warning else { return nil }
    return Int(notAfter.days(after: moment))
  }

  private static let warning: Int64 = 30 * 86_400
}
