package import Format

/// The rules that cover a caller's requests for one operation with one key at some time or other,
/// in deciding order.
///
/// It holds for as long as its policy is in force and its key exists. What depends on time, rate or
/// quota is asked for each request.
package struct CoveringRules: Sendable {
  private let opcode: Opcode
  private let key: NamedKey
  private let rules: [CoveringRule]
  /// Why a request is denied while no rule is in force.
  private let uncovered: Denial

  /// - Parameter rules: in deciding order; none for a caller whom the kernel could not identify.
  init(_ rules: [Rule], _ caller: Caller, _ opcode: Opcode, _ key: NamedKey) {
    self.opcode = opcode
    self.key = key
    self.rules = rules.map { CoveringRule($0, caller) }
    uncovered = caller.isOverflow ? .overflowIdentity : .noGrant
  }

  /// Decides one request, and takes its use of rate and quota.
  package func decide(at moment: Moment, limits: UseLimits, isRetry: Bool = false) -> Decision {
    switch cover(at: moment, limits: limits) {
    case .failure(let denial): .deny(denial)
    case .success(let cover): decide(cover, at: moment, limits: limits, isRetry: isRetry)
    }
  }

  /// The first half of a decision: the rule that covers the request. Takes a token of its rate,
  /// which nothing gives back.
  ///
  /// - Parameters:
  ///   - moment: the present time on both clocks, for validities, rates and quotas.
  ///   - limits: shared by successive policies, so that a reload resets nothing.
  package func cover(at moment: Moment, limits: UseLimits) -> Result<Cover, Denial> {
    guard let covering = first(at: moment.time) else {
      return .failure(key == .absent && uncovered == .noGrant ? .unknownKey : uncovered)
    }
    guard key != .absent, !lacksKey else { return .failure(.unknownKey) }
    guard limits.takeRate(covering.rule, opcode, uid: covering.caller.person, at: moment) else {
      return .failure(.rate(grant: covering.rule.id))
    }
    return .success(Cover(covering: covering))
  }

  /// The second half. Of quotas the caller keeps what it takes, or gives it back.
  ///
  /// - Parameter isRetry: whether the request repeats one that the rule allowed, and takes nothing
  ///   from quotas.
  package func decide(_ cover: Cover, at moment: Moment, limits: UseLimits, isRetry: Bool)
    -> Decision
  {
    let covering = cover.covering
    let key = key.target?.id
    let uses =
      isRetry
      ? []
      : limits.quotas.take(covering.rule, uid: covering.caller.person, key: key, at: moment.time)
    return uses.map { .allow(Grant(covering, opcode, key, $0)) }
      ?? .deny(.quota(grant: covering.rule.id))
  }

  /// Nanoseconds until rate and quota allow a request that they denied; nil if something else is in
  /// the way, such as too many users.
  package func wait(at moment: Moment, limits: UseLimits) -> Int64? {
    guard let covering = first(at: moment.time) else { return nil }
    let wait = limits.wait(
      covering.rule, opcode, uid: covering.caller.person, key: key.target?.id, at: moment)
    return wait > 0 ? wait : nil
  }

  /// That a request would be allowed now, of which nothing is taken; nil if it would be denied.
  package func outlook(at moment: Moment, limits: UseLimits) -> Outlook? {
    guard key != .absent, !lacksKey, let rule = first(at: moment.time)?.rule,
      wait(at: moment, limits: limits) == nil
    else { return nil }
    return Outlook(rule.id, opcode, key.target?.id)
  }

  /// The rule that decides at this time, leaving rates and quotas aside.
  package func ruling(at time: Timestamp) -> Ruling {
    guard let covering = first(at: time) else { return .denied(uncovered) }
    return lacksKey ? .denied(.unknownKey) : .allowed(covering.rule)
  }

  private func first(at time: Timestamp) -> CoveringRule? {
    rules.first { $0.rule.validity.contains(time) }
  }

  /// Whether the operation needs a key and the request names none.
  private var lacksKey: Bool { opcode.keyUse == .required && key == .none }
}

/// That a rule covers a request, and its rate has room for it.
package struct Cover: Sendable {
  fileprivate let covering: CoveringRule

  /// The rule's id.
  package var grant: String { covering.rule.id }
}
