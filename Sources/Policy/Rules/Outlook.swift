package import Format

/// Proof that policy would let a caller do `opcode` with `key` now, though nothing of rate and quota is taken yet:
/// to look at a request before it is decided.
///
/// Only `CallerStanding.outlook` makes one.
package struct Outlook: ~Copyable, Sendable {
  /// The id of the rule that would decide.
  package let grant: String
  package let opcode: Opcode
  /// Nil for an operation without one.
  package let key: KeyID?

  init(_ grant: String, _ opcode: Opcode, _ key: KeyID?) { (self.grant, self.opcode, self.key) = (grant, opcode, key) }
}
