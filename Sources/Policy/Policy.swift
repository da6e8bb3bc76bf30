// Policy: who may do what with which key, how often and when.
// It is pure: a caller, an operation, a key and a time in, a grant or a denial out.
// It must not know cryptography, files, sockets or the clock.

package import Wire

/// Decides who may do what with which key; what no rule names is denied.
///
/// Rules are ordered by file name and then by place in the file. The *first* rule that covers a request decides alone:
/// its releases and limits apply, whatever later rules say.
package struct Policy: Sendable {
  package let rules: [Rule]
  let index: PolicyIndex

  /// - Throws: `PolicyError.duplicate` if two rules have the same id.
  package init(_ rules: [Rule]) throws(PolicyError) {
    var seen: [String: Int] = [:]
    for (number, rule) in rules.enumerated() {
      if let first = seen.updateValue(number, forKey: rule.id) { throw .duplicate(first: first, second: number) }
    }
    (self.rules, index) = (rules, PolicyIndex(rules))
  }

  /// Denies everything.
  package static let empty = Policy()

  /// The rules that cover such requests of this caller, as long as this policy is in force; they decide.
  ///
  /// - Parameter key: an absent key is looked up and denied like a forbidden one. How many look-ups that takes depends on the caller's groups
  ///   and the depths of prefixes, but not on which key is named.
  package func standing(of caller: Caller, _ opcode: Opcode, key: NamedKey) -> CallerStanding {
    let numbers = caller.isOverflow ? [] : index.search(caller, opcode, label: key.label).rules.sorted()
    // No rule decides after one that is always in force.
    let last = numbers.firstIndex { rules[$0].validity.isAlways } ?? numbers.count
    return CallerStanding(numbers.prefix(last + 1).map { rules[$0] }, caller, opcode, key)
  }

  private init() { (rules, index) = ([], PolicyIndex([])) }
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
