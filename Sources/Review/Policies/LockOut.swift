internal import Format
package import Policy

/// Something that operators cannot do under a policy, and would otherwise notice only when they need it.
package enum LockOut: Hashable, Sendable {
  /// The policy has no grant at all.
  case everybody
  /// Nobody may open the key store, by passphrase or by share.
  case unlock
  /// Nobody may approve, and a granted operation needs an approval unless the configuration says otherwise.
  case approve

  package static func all(in policy: Policy) -> [LockOut] {
    guard !policy.rules.isEmpty else { return [.everybody] }
    func isGranted(_ opcodes: Opcode...) -> Bool { policy.rules.contains { rule in opcodes.contains(where: rule.operations.contains) } }
    let waits = policy.rules.contains { rule in rule.needsApproval || !Opcode.approvedByDefault.isDisjoint(with: rule.operations) }
    return (isGranted(.unlock, .submitShare) ? [] : [.unlock]) + (waits && !isGranted(.approve) ? [.approve] : [])
  }

  package var sentence: String {
    switch self {
    case .everybody: "there is no grant: every request would be denied"
    case .unlock: "no grant has unlock or submit-share: only a credential at start could open the key store"
    case .approve: "no grant has approve: what waits for a second person could never be done"
    }
  }
}
