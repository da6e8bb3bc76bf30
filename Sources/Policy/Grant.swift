package import Wire

/// Proof that policy let `caller` do `opcode` with `key`, once.
///
/// Only `Policy.decide` makes one. It cannot be copied, so it is used at most once.
package struct Grant: ~Copyable, Sendable {
  /// The id of the deciding grant in the policy files.
  package let id: String
  package let caller: Caller
  package let opcode: Opcode
  /// The key the grant is for; nil for an operation without one.
  package let key: KeyID?
  /// The keys that the grant names, so that a listing shows no others.
  package let keys: [KeyPattern]
  /// The fields of an opened token that may be released.
  package let released: ReleasedFields
  /// The fields that are sealed into the envelope, if that may be released.
  package let sealed: ReleasedFields
  /// The secrets of primitives that may be released.
  package let secrets: ReleasedSecrets
  /// Whether the caller may learn at which stage it was rejected.
  package let showsStage: Bool
  /// Whether a second person must approve the request before it runs.
  package let needsApproval: Bool
  /// The first of the grant's groups that the caller is in, and the caller's unit, where the grant states any.
  package let group: Principal?
  package let unit: String?

  init(_ rule: Rule, _ caller: Caller, _ opcode: Opcode, _ key: KeyID?) {
    (self.id, self.caller, self.opcode, self.key) = (rule.id, caller, opcode, key)
    (keys, released, sealed, secrets, showsStage) = (rule.keys, rule.released, rule.sealed, rule.secrets, rule.showsStage)
    needsApproval = rule.needsApproval
    group = rule.callers.groups.isEmpty ? nil : Self.group(of: caller, among: rule.callers.groups)
    unit = rule.callers.units.isEmpty ? nil : caller.unit
  }

  /// Whether the grant's keys include the one with this label.
  package func covers(_ label: String) -> Bool { keys.contains { $0.covers(label) } }

  private static func group(of caller: Caller, among groups: [Principal]) -> Principal? {
    let own = caller.allGroups
    return groups.first { own.contains($0.id) }
  }
}
