package import Format
package import Policy

/// A remark on a grant of a valid policy.
package struct GrantFinding: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Its hours never come between its dates.
    case neverInForce
    /// Earlier grants decide all that it covers.
    case unreachable(by: [String])
    /// An earlier grant fully decides some of its requests, on other terms.
    case overruled(by: String, Overruled)
    /// It gives operators' operations to a group.
    case operatorsByGroup
    /// It names a unit or an executable, which this kernel does not tell.
    case needsProcess
  }

  /// One request of those that the earlier grant decides.
  package struct Overruled: Hashable, Sendable {
    package let example: String
    /// What the later grant would give instead.
    package let difference: [String]
  }

  /// The number of its rule.
  package let number: Int
  package let grant: String
  package let kind: Kind

  /// Every finding, in the order of the grants.
  ///
  /// - Parameter tellsProcesses: whether the kernel tells a caller's unit and executable.
  package static func all(in policy: Policy, around now: Timestamp, tellsProcesses: Bool = true)
    -> [GrantFinding]
  {
    let space = QuestionSpace(policy.rules, around: now)
    return policy.rules.enumerated().flatMap { number, rule in
      var kinds: [Kind] = []
      if rule.callers.users.isEmpty, rule.operations.contains(where: \.isForOperators) {
        kinds.append(.operatorsByGroup)
      }
      if rule.callers.asksForProcess, !tellsProcesses { kinds.append(.needsProcess) }
      return kinds.map { GrantFinding(number: number, grant: rule.id, kind: $0) }
        + findings(rule, number, policy, space)
    }
  }
}

extension GrantFinding {
  private static func findings(
    _ rule: Rule, _ number: Int, _ policy: Policy, _ space: QuestionSpace
  ) -> [GrantFinding] {
    let times = space.times.filter(rule.validity.contains)
    var probes: [Probe] = []
    for who in CallerPattern.all(of: rule.callers) {
      for opcode in rule.operations {
        probes += Probe.all(who, opcode, rule.keys(for: opcode), at: times, nobody: space.nobody)
      }
    }
    guard !probes.isEmpty else {
      return [GrantFinding(number: number, grant: rule.id, kind: .neverInForce)]
    }
    let taken = probes.map { ($0, policy.answer($0.question)) }.filter { $0.1.grant != rule.id }
    let deciders = taken.compactMap(\.1.grant).reduce(into: [String]()) {
      if !$0.contains($1) { $0.append($1) }
    }
    if taken.count == probes.count {
      return [GrantFinding(number: number, grant: rule.id, kind: .unreachable(by: deciders))]
    }
    return deciders.compactMap { decider in overruled(rule, number, by: decider, probes, taken) }
  }

  /// The first of the rule's own probes that `decider` decides at all times and on other terms.
  private static func overruled(
    _ rule: Rule, _ number: Int, by decider: String, _ probes: [Probe], _ taken: [(Probe, Answer)]
  ) -> GrantFinding? {
    let left = Set(probes).subtracting(taken.map(\.0)).map(\.kind)
    for (probe, answer) in taken {
      guard case .allowed(decider, let terms) = answer, !left.contains(probe.kind) else { continue }
      let difference = Terms(rule, probe.opcode).words(insteadOf: terms)
      guard !difference.isEmpty else { continue }
      let example = "\(probe.opcode.name)\(probe.key.map { " with \($0)" } ?? "") for \(probe.who)"
      return GrantFinding(
        number: number, grant: rule.id,
        kind: .overruled(by: decider, Overruled(example: example, difference: difference)))
    }
    return nil
  }
}

extension Answer {
  var grant: String? { if case .allowed(let grant, _) = self { grant } else { nil } }
}

extension Probe {
  /// What the probe asks, regardless of time.
  struct Kind: Hashable {
    let who: CallerPattern
    let opcode: Opcode
    let key: KeyPattern?
  }

  var kind: Kind { Kind(who: who, opcode: opcode, key: key) }
}
