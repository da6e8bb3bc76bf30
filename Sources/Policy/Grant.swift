package import Wire

/// Proof that policy let `caller` do `opcode` with `key`, once.
///
/// Only `Policy.decide` makes one; it cannot be copied, so using it up is using it once.
package struct Grant: ~Copyable, Sendable {
  /// The id of the deciding grant in the policy files.
  package let id: String
  package let caller: Caller
  package let opcode: Opcode
  /// The key the grant is for; nil for an operation without one.
  package let key: KeyID?
  /// The fields of an opened token that may leave.
  package let released: ReleasedFields
  /// Whether the caller may learn at which stage it was rejected.
  package let showsStage: Bool

  init(id: String, caller: Caller, opcode: Opcode, key: KeyID?, released: ReleasedFields, showsStage: Bool) {
    (self.id, self.caller, self.opcode, self.key) = (id, caller, opcode, key)
    (self.released, self.showsStage) = (released, showsStage)
  }
}
