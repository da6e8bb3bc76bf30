// Policy: who may do what with which key, how often and when.
// It is pure: a caller, an operation, a key and a time in, a grant or a denial out.
// It must not know cryptography, files, sockets or the clock.

package import Encoding
package import Wire

/// Decides who may do what with which key; what no rule names is denied.
///
/// Rules are ordered by file name and then by place in the file. The *first* rule that covers a request decides alone:
/// its releases and limits apply, whatever later rules say.
package struct Policy: Sendable {
  package let rules: [Rule]
  private let index: PolicyIndex

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

  /// Decides one request.
  ///
  /// - Parameters:
  ///   - key: an absent key is looked up and denied like a forbidden one.
  ///   - moment: the present time on both clocks, for validities, rates and quotas.
  ///   - limits: shared by successive policies, so that a reload resets nothing.
  package func decide(_ caller: Caller, _ opcode: Opcode, key: NamedKey, at moment: Moment, limits: UseLimits) -> Decision {
    switch ruling(caller, opcode, label: key.label, at: moment.time) {
    case .denied(let denial): return .deny(denial == .noGrant && key == .absent ? .unknownKey : denial)
    case .allowed(let rule):
      guard key != .absent else { return .deny(.unknownKey) }
      if let denial = limits.take(rule, uid: caller.person, key: key.target?.id, at: moment) { return .deny(denial) }
      return .allow(Grant(rule, caller, opcode, key.target?.id))
    }
  }

  /// How many look-ups a decision takes: it depends on the caller's groups and the depths of prefixes, but not on which key is named.
  package func lookups(_ caller: Caller, _ opcode: Opcode, key: NamedKey, at time: Timestamp) -> Int {
    index.search(caller, opcode, label: key.label, at: time).lookups
  }

  /// The rule that decides, leaving rates and quotas aside.
  package func ruling(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp) -> Ruling {
    guard !caller.isOverflow else { return .denied(.overflowIdentity) }
    guard let number = index.search(caller, opcode, label: label, at: time).rule else { return .denied(.noGrant) }
    if case .required = opcode.traits.key, label == nil { return .denied(.unknownKey) }
    return .allowed(rules[number])
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
