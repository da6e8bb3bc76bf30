// Policy: who may do what with which key, how often and when.
// It is pure: a caller, an operation, a key and a time in, a grant or a denial out.
// It must not know cryptography, files, sockets or the clock.
// Called by Operations and Service for each request, and by Configuration, which reads policies.

package import Format

/// Decides who may do what with which key; what no rule names is denied.
///
/// Rules are ordered by file name and then by place in the file. The *first* rule that covers a
/// request decides alone: its releases and limits apply, whatever later rules say.
package struct Policy: Sendable {
  package let rules: [Rule]
  /// Where the rules for an operation stand that name a user, and under nil those that name none;
  /// in deciding order.
  private let places: [Opcode: [UInt32?: [Int]]]

  /// - Throws: `PolicyError.duplicate` if two rules have the same id.
  package init(_ rules: [Rule]) throws(PolicyError) {
    var seen: [String: Int] = [:]
    for (number, rule) in rules.enumerated() {
      if let first = seen.updateValue(number, forKey: rule.id) {
        throw .duplicate(first: first, second: number)
      }
    }
    var places: [Opcode: [UInt32?: [Int]]] = [:]
    for (number, rule) in rules.enumerated() {
      let users: Set<UInt32?> =
        rule.callers.users.isEmpty ? [nil] : Set(rule.callers.users.map(\.id))
      for opcode in rule.operations {
        for user in users { places[opcode, default: [:]][user, default: []].append(number) }
      }
    }
    self.rules = rules
    self.places = places
  }

  /// Denies everything.
  package static let empty = Policy()

  /// The rules that cover such requests of this caller, as long as this policy is in force; they
  /// decide.
  ///
  /// - Parameter key: an absent key is compared with every pattern and denied like a forbidden one,
  ///   so that the time of a refusal does not tell which keys exist.
  package func covering(_ caller: Caller, _ opcode: Opcode, key: NamedKey) -> CoveringRules {
    let places = caller.isOverflow ? [:] : places[opcode] ?? [:]
    var covering: [Rule] = []
    // Two runs that ascend.
    for number in ((places[caller.uid] ?? []) + (places[nil] ?? [])).sorted()
    where rules[number].covers(caller, opcode, key.label) {
      covering.append(rules[number])
      // No rule decides after one that is always in force.
      if rules[number].validity.isAlways { break }
    }
    return CoveringRules(covering, caller, opcode, key)
  }

  private init() {
    rules = []
    places = [:]
  }
}

/// What a policy decides, leaving rates and quotas aside.
package enum Ruling: Hashable, Sendable {
  case allowed(Rule)
  case denied(Denial)
}

package enum PolicyError: Error, Hashable {
  /// The rules with these indices have the same id.
  case duplicate(first: Int, second: Int)
}

extension Policy {
  /// The policy in one canonical text: the same however it is written, and different for every
  /// other policy.
  ///
  /// It is TOML that loads to this policy: grants in deciding order, lists sorted, ids instead of
  /// names (the names are in comments, which show if a name came to mean another user); empty and
  /// false values are left out.
  package var canonicalText: String {
    let header = "# kist policy, canonical form 1\n"
    return rules.reduce(
      into: rules.isEmpty ? header + "# no grants: everything is denied\n" : header
    ) { $0 += "\n" + $1.canonicalText }
  }
}

extension Rule {
  fileprivate var canonicalText: String {
    var lines = ["[[grant]]", "id = \(quoted(id))"]
    if !callers.users.isEmpty { lines.append("users = \(list(callers.users))") }
    if !callers.groups.isEmpty { lines.append("groups = \(list(callers.groups))") }
    if !callers.units.isEmpty { lines.append("units = \(list(callers.units))") }
    if !callers.executables.isEmpty { lines.append("executables = \(list(callers.executables))") }
    lines.append("operations = [\(operations.map { quoted($0.name) }.joined(separator: ", "))]")
    if !keys.isEmpty { lines.append("keys = \(list(keys.map(\.description)))") }
    if !releasedNames.isEmpty {
      lines.append("release = [\(releasedNames.map(quoted).joined(separator: ", "))]")
    }
    if !sealed.isEmpty {
      lines.append("envelope = [\(sealed.fields.map { quoted($0.name) }.joined(separator: ", "))]")
    }
    if let partner { lines.append("release_to = \(quoted(partner))") }
    if showsStage { lines.append("stages = true") }
    if needsApproval { lines.append("approval = true") }
    if let rate { lines.append("rate = \(quoted(rate.description))") }
    if let quota { lines.append("quota = \(quoted(quota.description))") }
    if let keyQuota { lines.append("key_quota = \(quoted(keyQuota.description))") }
    if let from = validity.from { lines.append("from = \(quoted(from.wholeSeconds))") }
    if let until = validity.until { lines.append("until = \(quoted(until.wholeSeconds))") }
    if !validity.hours.isEmpty {
      lines.append("hours = \(list(validity.hours.map(\.description)))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func list(_ names: [String]) -> String {
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return "[\(sorted.map(quoted).joined(separator: ", "))]"
  }

  private func list(_ principals: [Principal]) -> String {
    let sorted = principals.sorted { $0.id < $1.id }
    // The system allows any name, so escape it: it must not end the comment.
    let named = sorted.filter { $0.name != nil }.map { Printable.line($0.description) }.joined(
      separator: ", ")
    return "[\(sorted.map { "\($0.id)" }.joined(separator: ", "))]"
      + (named.isEmpty ? "" : "  # \(named)")
  }

  /// Names are printable ASCII, so only quotes and backslashes need escapes.
  private func quoted(_ text: String) -> String {
    var out = "\""
    for character in text {
      if character == "\"" || character == "\\" { out.append("\\") }
      out.append(character)
    }
    return out + "\""
  }
}
