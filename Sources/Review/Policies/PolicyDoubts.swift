package import Configuration
package import Format
package import Policy

extension LocatedPolicy {
  /// The further checks of `--strict`: on each grant, and on the policy as a whole.
  package func doubts(_ directory: String, at now: Timestamp) -> [ConfigurationError] {
    let ofGrants = zip(policy.rules, places).flatMap { rule, place in
      GrantDoubt.all(in: rule, at: now).map {
        ConfigurationError(
          file: place.file, position: place.position, "grant \(rule.id) \($0.sentence)")
      }
    }
    return ofGrants
      + LockOut.all(in: policy).map { ConfigurationError(file: directory, $0.sentence) }
  }

  /// A finding, with the place of its grant.
  package func remark(_ finding: GrantFinding) -> ConfigurationError {
    ConfigurationError(
      file: places[finding.number].file, position: places[finding.number].position,
      "grant \(finding.grant) \(sentence(finding.kind))")
  }

  private func sentence(_ kind: GrantFinding.Kind) -> String {
    switch kind {
    case .neverInForce: "is never in force: its hours never fall between its dates"
    case .unreachable(let deciders):
      "is never reached: \(deciders.map(named).joined(separator: ", ")) \(deciders.count == 1 ? "decides" : "decide") all that it covers"
    case .operatorsByGroup: "gives operators' operations to a group; name the operators in 'users'"
    case .needsProcess:
      "covers nobody: this kernel does not tell a caller's unit or executable (SO_PEERPIDFD, Linux 6.5)"
    case .overruled(let decider, let what):
      "does not decide \(what.example): \(named(decider)) comes first; this one \(what.difference.joined(separator: ", "))"
    }
  }

  private func named(_ id: String) -> String {
    let place = policy.rules.firstIndex { $0.id == id }.map { " (\(places[$0]))" } ?? ""
    return "grant \(id)\(place)"
  }
}

/// Something in a grant that its writer probably did not mean; `kist policy check --strict` reports
/// it.
package enum GrantDoubt: Hashable, Sendable {
  /// Its last moment has passed.
  case ended(Timestamp)
  /// The unit lacks the suffix of systemd's services and scopes, so it never matches.
  case unitWithoutSuffix(String)
  /// Landlock hides executables.
  case namesExecutables
  /// It lets callers open tokens, which uses them up, but releases nothing.
  case opensForNothing
  /// A payment with a DPAN but without cryptogram and ECI is a keyed card payment: the liability
  /// stays with the merchant.
  case panWithoutCryptogram
  /// The uid may be that of several containers, which the daemon cannot tell apart.
  case sharedByContainers(UInt32)
  /// Everybody in a group, or many users, may do what leaves a record each time, as fast as the
  /// daemon is.
  case unlimited

  package static func all(in rule: Rule, at now: Timestamp) -> [GrantDoubt] {
    var doubts: [GrantDoubt] = []
    if let until = rule.validity.until, until <= now { doubts.append(.ended(until)) }
    doubts += rule.callers.units.filter { !$0.hasSuffix(".service") && !$0.hasSuffix(".scope") }
      .map(GrantDoubt.unitWithoutSuffix)
    if !rule.callers.executables.isEmpty { doubts.append(.namesExecutables) }
    doubts += rule.callers.users.filter {
      $0.name == nil && $0.id >= firstSubordinate && rule.callers.units.isEmpty
    }.map { .sharedByContainers($0.id) }
    let isForMany = rule.callers.users.isEmpty || rule.callers.users.count >= many
    if rule.rate == nil, isForMany { doubts.append(.unlimited) }
    guard rule.operations.contains(.openPaymentToken) else { return doubts }
    if rule.released.isEmpty { doubts.append(.opensForNothing) }
    if rule.released.contains(.dpan),
      !rule.released.isSuperset(of: ReleasedFields([.cryptogram, .eci]))
    {
      doubts.append(.panWithoutCryptogram)
    }
    return doubts
  }

  private static let many = 16
  /// `SUB_UID_MIN` of login.defs(5).
  private static let firstSubordinate: UInt32 = 100_000

  /// What follows `grant ID`.
  package var sentence: String {
    switch self {
    case .ended(let until): "ended at \(until.wholeSeconds)"
    case .unitWithoutSuffix(let name):
      "names unit \(name), which is not a service or scope: did you mean \(name).service?"
    case .namesExecutables:
      "names executables, which the daemon does not see unless process.landlock is false"
    case .opensForNothing: "opens tokens and releases nothing of them: expected 'release'"
    case .panWithoutCryptogram:
      "releases dpan without cryptogram and eci: such a payment is keyed entry, and the liability for fraud does not shift"
    case .sharedByContainers(let uid):
      "names user \(uid) by the number alone: every container with that uid is this caller"
    case .unlimited: "lets many users fill the log, a record for each request: expected 'rate'"
    }
  }
}

/// Something that operators cannot do under a policy, and would otherwise notice only when they
/// need it.
package enum LockOut: Hashable, Sendable {
  /// The policy has no grant at all.
  case everybody
  /// Nobody may open the key store, by passphrase or by share.
  case unlock
  /// Nobody may approve, and a granted operation needs an approval unless the configuration says
  /// otherwise.
  case approve

  package static func all(in policy: Policy) -> [LockOut] {
    guard !policy.rules.isEmpty else { return [.everybody] }
    func isGranted(_ opcodes: Opcode...) -> Bool {
      policy.rules.contains { rule in opcodes.contains(where: rule.operations.contains) }
    }
    let waits = policy.rules.contains { rule in
      rule.needsApproval || !Opcode.approvedByDefault.isDisjoint(with: rule.operations)
    }
    return (isGranted(.unlock, .submitShare) ? [] : [.unlock])
      + (waits && !isGranted(.approve) ? [.approve] : [])
  }

  package var sentence: String {
    switch self {
    case .everybody: "there is no grant: every request would be denied"
    case .unlock:
      "no grant has unlock or submit-share: only a credential at start could open the key store"
    case .approve: "no grant has approve: what waits for a second person could never be done"
    }
  }
}
