/// Proof that the records of one batch are durable and covered by a signed checkpoint.
///
/// Only `AuditLog.commit` makes one.
package struct Receipt: ~Copyable, Sendable {
  /// The sequence of the batch's first record; the others follow it.
  package let firstSequence: UInt64
  package let count: Int

  init(firstSequence: UInt64, count: Int) { (self.firstSequence, self.count) = (firstSequence, count) }
}
