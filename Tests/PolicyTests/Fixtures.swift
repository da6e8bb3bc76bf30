import Format
import Policy

/// A rule that covers user 1001 opening tokens of acme's, with whatever is changed about it.
func rule(
  _ id: String = "acme", users: [UInt32] = [1001], groups: [UInt32] = [], units: [String] = [],
  executables: [String] = [],
  operations: Set<Opcode> = [.openPaymentToken], keys: [String] = ["merchant/acme/*"],
  released: ReleasedFields = [], sealed: ReleasedFields = [],
  partner: String? = nil,
  stages: Bool = false, rate: String? = nil, quota: String? = nil, keyQuota: String? = nil,
  validity: Validity = .always, approval: Bool = false
) throws(RuleFlaw) -> Rule {
  try Rule(
    id: id,
    callers: CallerRule(
      users: users.map { Principal(id: $0) }, groups: groups.map { Principal(id: $0) },
      units: units, executables: executables),
    operations: operations, keys: keys.compactMap(KeyPattern.init), released: released,
    sealed: sealed, partner: partner, showsStage: stages,
    rate: rate.flatMap(Rate.init),
    quota: quota.flatMap(Quota.init), keyQuota: keyQuota.flatMap(Quota.init), validity: validity,
    needsApproval: approval)
}

func caller(
  _ uid: UInt32 = 1001, gid: UInt32 = 100, groups: [UInt32] = [], unit: String? = nil,
  executable: String? = nil, owner: UInt32? = nil
) -> Caller {
  Caller(
    uid: uid, gid: gid, groups: groups, pid: 42, unit: unit, executable: executable, owner: owner)
}

/// Without a label the request names no key.
func key(_ label: String?) -> NamedKey {
  label.map { .known(KeyTarget(id: KeyID(high: 1, low: 2), label: $0)) } ?? .none
}

let epoch = MonotonicTime(nanoseconds: 0)

/// A Friday, 09:30 UTC.
let friday = Timestamp(seconds: 1_795_167_000)

/// What a decision comes to, in a value that can be compared.
enum Outcome: Equatable {
  case allowed(String)
  case denied(Denial)

  init(_ decision: consuming Decision) {
    switch consume decision {
    case .allow(let grant): self = .allowed(grant.id)
    case .deny(let denial): self = .denied(denial)
    }
  }
}

extension Policy {
  func outcome(
    _ caller: Caller, _ opcode: Opcode, _ label: String?, at time: Timestamp = friday,
    now: MonotonicTime = epoch, limits: UseLimits = UseLimits()
  )
    -> Outcome
  {
    switch decide(caller, opcode, key: key(label), at: Moment(time, now), limits: limits) {
    case .deny(let denial): return .denied(denial)
    case .allow(let grant):
      limits.quotas.keep(grant.uses)
      return .allowed(grant.id)
    }
  }

  func decide(
    _ caller: Caller, _ opcode: Opcode, key: NamedKey, at moment: Moment, limits: UseLimits
  ) -> Decision {
    covering(caller, opcode, key: key).decide(at: moment, limits: limits)
  }
}
