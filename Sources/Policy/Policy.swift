package import Encoding
package import Wire

/// Who may do what with which key; everything it does not name is denied.
///
/// The rules stand in the order of the files' names and then of their place in the file, and the *first*
/// that covers a request decides it alone: what it releases and how often counts, whatever later ones say.
package struct Policy: Sendable {
  package let rules: [Rule]
  private let index: PolicyIndex

  /// - Throws: `PolicyError.duplicate` where two rules share an id.
  package init(_ rules: [Rule]) throws(PolicyError) {
    var seen: [String: Int] = [:]
    for (number, rule) in rules.enumerated() {
      if let first = seen.updateValue(number, forKey: rule.id) { throw .duplicate(first: first, second: number) }
    }
    (self.rules, index) = (rules, PolicyIndex(rules))
  }

  /// Denies everything.
  package static let empty = Policy()

  /// Decides one request.
  ///
  /// - Parameters:
  ///   - key: whether the key is there decides nothing before the grants have; an absent one is denied like a forbidden one.
  ///   - moment: now, by the clocks that validities, rates and quotas go by.
  ///   - limits: shared by every policy that is in force one after the other.
  package func decide(_ caller: Caller, _ opcode: Opcode, key: NamedKey, at moment: Moment, limits: UseLimits) -> Decision {
    switch verdict(caller, opcode, label: key.label, at: moment.time) {
    case .denied(let denial): return .deny(denial == .noGrant && key == .absent ? .unknownKey : denial)
    case .allowed(let rule):
      guard key != .absent else { return .deny(.unknownKey) }
      if let denial = limits.take(rule, uid: caller.person, key: key.target?.id, at: moment) { return .deny(denial) }
      return .allow(Grant(rule, caller, opcode, key.target?.id))
    }
  }

  /// How many look-ups a decision takes: bounded by the caller's groups and the depth of the grants' prefixes, whichever key is named.
  package func lookups(_ caller: Caller, _ opcode: Opcode, key: NamedKey, at time: Timestamp) -> Int {
    index.search(caller, opcode, label: key.label, at: time).lookups
  }

  /// The rule that decides, rates and quotas aside.
  package func verdict(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp) -> Verdict {
    guard !caller.isOverflow else { return .denied(.overflowIdentity) }
    guard let number = index.search(caller, opcode, label: label, at: time).rule else { return .denied(.noGrant) }
    if case .required = opcode.keyUse, label == nil { return .denied(.unknownKey) }
    return .allowed(rules[number])
  }

  private init() { (rules, index) = ([], PolicyIndex([])) }
}

/// What a policy says of a request, rates and quotas aside.
package enum Verdict: Hashable, Sendable {
  case allowed(Rule)
  case denied(Denial)
}

package enum PolicyError: Error, Hashable, Sendable {
  /// Two rules, by number, share an id.
  case duplicate(first: Int, second: Int)
}
