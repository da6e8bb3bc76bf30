// Policy: who may do what with which key, how often and when.
// It is pure: a caller, an operation, a key and a time in, a grant or a denial out.
// It must not know cryptography, files, sockets or the clock.
// Called by Operations and Service for each request, and by Configuration, which reads it from text.

package import Format

/// Decides who may do what with which key; what no rule names is denied.
///
/// Rules are ordered by file name and then by place in the file. The *first* rule that covers a request decides alone:
/// its releases and limits apply, whatever later rules say.
package struct Policy: Sendable {
  package let rules: [Rule]
  /// Where the rules for an operation stand that name a user, and under nil those that name none; in deciding order.
  private let places: [Opcode: [UInt32?: [Int]]]

  /// - Throws: `PolicyError.duplicate` if two rules have the same id.
  package init(_ rules: [Rule]) throws(PolicyError) {
    var seen: [String: Int] = [:]
    for (number, rule) in rules.enumerated() {
      if let first = seen.updateValue(number, forKey: rule.id) { throw .duplicate(first: first, second: number) }
    }
    var places: [Opcode: [UInt32?: [Int]]] = [:]
    for (number, rule) in rules.enumerated() {
      let users: Set<UInt32?> = rule.callers.users.isEmpty ? [nil] : Set(rule.callers.users.map(\.id))
      for opcode in rule.operations { for user in users { places[opcode, default: [:]][user, default: []].append(number) } }
    }
    (self.rules, self.places) = (rules, places)
  }

  /// Denies everything.
  package static let empty = Policy()

  /// The rules that cover such requests of this caller, as long as this policy is in force; they decide.
  ///
  /// - Parameter key: an absent key is compared with every pattern and denied like a forbidden one, so that the time of a refusal does not
  ///   tell which keys exist.
  package func standing(of caller: Caller, _ opcode: Opcode, key: NamedKey) -> CallerStanding {
    let places = caller.isOverflow ? [:] : places[opcode] ?? [:]
    var covering: [Rule] = []
    // Two runs that ascend.
    for number in ((places[caller.uid] ?? []) + (places[nil] ?? [])).sorted() where rules[number].covers(caller, opcode, key.label) {
      covering.append(rules[number])
      // No rule decides after one that is always in force.
      if rules[number].validity.isAlways { break }
    }
    return CallerStanding(covering, caller, opcode, key)
  }

  private init() { (rules, places) = ([], [:]) }
}

/// What a policy decides, leaving rates and quotas aside.
package enum Ruling: Hashable, Sendable {
  case allowed(Rule)
  case denied(Denial)
}

package enum PolicyError: Error, Hashable, Sendable {
  /// The rules with these indices have the same id.
  case duplicate(first: Int, second: Int)
}
