package import Format
package import Policy

/// What one kind of request gains or loses when one policy replaces another.
package struct PolicyChange: Hashable, Sendable {
  package enum Effect: Hashable, Sendable {
    case gains(Terms)
    case loses
    /// It stays allowed, on other terms; in words, because only the differences count.
    case keeps(differences: [String])
  }

  package let who: CallerPattern
  package let opcode: Opcode
  /// nil if the request names no key.
  package let key: KeyPattern?
  package let effect: Effect
  /// The deciding grants: the new policy's, or the old one's if the caller loses.
  package let grants: [String]
  /// A moment at which this holds; nil if it holds at all times.
  package let example: Timestamp?
}

extension PolicyChange {
  /// There are more questions than a person could read answers to.
  package struct TooMany: Error {}

  package static let maximumQuestions = 2_000_000

  /// Every change, widest first, without those that a wider one already implies.
  ///
  /// The list is complete, dates and hours included. If a request is decided differently, grant `a`
  /// of the old policy and grant `b` of the new decide it, or only one of them exists. The least
  /// request that both cover is decided in the same way, since fewer grants cover it and those two
  /// are still the first; and that request is one of the questions.
  package static func all(from old: Policy, to new: Policy, around now: Timestamp) throws(TooMany)
    -> [PolicyChange]
  {
    let space = QuestionSpace(old.rules + new.rules, around: now)
    var seen: Set<Probe.Kind> = []
    var changes: [PolicyChange] = []
    for kind in try kinds(old, new, times: space.times.count) where seen.insert(kind).inserted {
      changes += Self.changes(of: kind, from: old, to: new, space)
    }
    return withoutRepetitions(changes)
  }

  /// One change for each effect, even if different grants decide at different moments.
  private static func changes(
    of kind: Probe.Kind, from old: Policy, to new: Policy, _ space: QuestionSpace
  ) -> [PolicyChange] {
    var effects: [Effect] = []
    var moments: [Effect: [(time: Timestamp, grant: String)]] = [:]
    for probe in Probe.all(kind.who, kind.opcode, [kind.key], at: space.times, nobody: space.nobody)
    {
      let before = old.answer(probe.question)
      let after = new.answer(probe.question)
      guard let effect = Effect(from: before, to: after), let grant = after.grant ?? before.grant
      else { continue }
      if moments[effect] == nil { effects.append(effect) }
      moments[effect, default: []].append((probe.question.time, grant))
    }
    return effects.map { effect in
      let found = moments[effect] ?? []
      let grants = found.map(\.grant).reduce(into: [String]()) {
        if !$0.contains($1) { $0.append($1) }
      }
      let isAlways = found.count == space.times.count
      return PolicyChange(
        who: kind.who, opcode: kind.opcode, key: kind.key, effect: effect, grants: grants,
        example: isAlways ? nil : found.first?.time)
    }
  }

  private static func kinds(_ old: Policy, _ new: Policy, times: Int) throws(TooMany) -> [Probe
    .Kind]
  {
    var kinds: [Probe.Kind] = []
    func add(_ more: [Probe.Kind]) throws(TooMany) {
      guard (kinds.count + more.count) * times <= maximumQuestions else { throw TooMany() }
      kinds += more
    }
    func covering(_ rule: Rule) -> Covering {
      Covering(rule: rule, patterns: CallerPattern.all(of: rule.callers))
    }
    let before = old.rules.map(covering)
    let after = new.rules.map(covering)
    for one in before + after {
      for opcode in one.rule.operations {
        try add(
          one.patterns.flatMap { who in
            one.rule.keys(for: opcode).map { Probe.Kind(who: who, opcode: opcode, key: $0) }
          })
      }
    }
    for a in before {
      for b in after { try add(both(a, b)) }
    }
    return kinds
  }

  private struct Covering {
    let rule: Rule
    let patterns: [CallerPattern]
  }

  /// Requests that both rules cover, on different terms.
  private static func both(_ a: Covering, _ b: Covering) -> [Probe.Kind] {
    let operations = a.rule.operations.filter {
      b.rule.operations.contains($0) && Terms(a.rule, $0) != Terms(b.rule, $0)
    }
    guard !operations.isEmpty else { return [] }
    let callers = a.patterns.flatMap { one in b.patterns.compactMap { one.merged(with: $0) } }
    guard !callers.isEmpty else { return [] }
    return operations.flatMap { opcode in
      let keys = a.rule.keys(for: opcode).flatMap { one in
        b.rule.keys(for: opcode).compactMap { KeyPattern.merged(one, $0) }
      }
      return callers.flatMap { who in keys.map { Probe.Kind(who: who, opcode: opcode, key: $0) } }
    }
  }

  private static func withoutRepetitions(_ changes: [PolicyChange]) -> [PolicyChange] {
    var kept: [Same: [PolicyChange]] = [:]
    var order: [PolicyChange] = []
    for change in changes.sorted(by: { $0.who.width < $1.who.width }) {
      let same = Same(opcode: change.opcode, effect: change.effect)
      guard !(kept[same] ?? []).contains(where: { $0.includes(change) }) else { continue }
      kept[same, default: []].append(change)
      order.append(change)
    }
    return order
  }

  private struct Same: Hashable {
    let opcode: Opcode
    let effect: Effect
  }

  private func includes(_ other: PolicyChange) -> Bool {
    guard who.includes(other.who), example == nil || example == other.example else { return false }
    guard let key, let theirs = other.key else { return key == other.key }
    return key.includes(theirs)
  }
}

extension PolicyChange.Effect {
  /// nil if nothing changes that a caller would notice; another grant on the same terms is no
  /// change.
  package init?(from old: Answer, to new: Answer) {
    switch (old, new) {
    case (.denied, .denied): return nil
    case (.denied, .allowed(_, let terms)): self = .gains(terms)
    case (.allowed, .denied): self = .loses
    case (.allowed(_, let before), .allowed(_, let terms)):
      if before == terms { return nil }
      self = .keeps(differences: terms.words(insteadOf: before))
    }
  }
}

extension KeyPattern {
  /// The keys of both; a double nil if there are none, nil for no key.
  fileprivate static func merged(_ a: KeyPattern?, _ b: KeyPattern?) -> KeyPattern?? {
    guard let a, let b else { return a == b ? .some(nil) : nil }
    return a.merged(with: b).map(KeyPattern?.some)
  }
}

extension CallerPattern {
  /// How many conditions it sets for a caller.
  fileprivate var width: Int {
    (user == nil ? 0 : 1) + groups.count + (unit == nil ? 0 : 1) + (executable == nil ? 0 : 1)
  }
}

extension PolicyChange {
  /// `open-payment-token with merchant/acme/*`
  package var what: String { opcode.name + (key.map { " with \($0)" } ?? "") }

  /// `gains`, `loses` or `keeps`.
  package var verb: String {
    switch effect {
    case .gains: "gains"
    case .loses: "loses"
    case .keeps: "keeps"
    }
  }

  /// The terms, the grant, and when; empty if there is nothing to add.
  package var details: [String] {
    let time = example.map { ["not at all times, but at \($0.wholeSeconds)"] } ?? []
    let grants = (grants.count == 1 ? "grant " : "grants ") + grants.joined(separator: ", ")
    return switch effect {
    case .gains(let terms): ["by \(grants)"] + terms.words + time
    case .loses: ["it had \(grants)"] + time
    case .keeps(let differences): ["now by \(grants)"] + differences + time
    }
  }
}
