/// Proof that the records of one batch are durable and covered by a signed checkpoint.
///
/// Only `AuditLog.commit` makes one.
package struct Receipt: ~Copyable, Sendable {
  /// The sequence of the batch's first record; the others follow it.
  package let firstSequence: UInt64
  package let count: Int

  init(firstSequence: UInt64, count: Int) {
    self.firstSequence = firstSequence
    self.count = count
  }
}

/// A batch in the queue of the log, with who is to hear of it.
struct Ticket: Sendable {
  let drafts: [Draft]
  let user: UInt32?
  let isLast: Bool
  private let settled: @Sendable (consuming AuditLog.Settlement) -> Void

  init(
    _ batch: consuming Batch, isLast: Bool,
    _ settled: @escaping @Sendable (consuming AuditLog.Settlement) -> Void
  ) {
    user = batch.user
    drafts = batch.handOver()
    self.isLast = isLast
    self.settled = settled
  }

  func succeed(firstSequence: UInt64) {
    settled(.success(Receipt(firstSequence: firstSequence, count: drafts.count)))
  }
  func refuse(_ error: AuditError) { settled(.failure(error)) }
}
