/// A batch in the queue of the log, with who is to hear of it.
struct Ticket: Sendable {
  let drafts: [Draft]
  let user: UInt32?
  let isLast: Bool
  private let settled: @Sendable (consuming AuditLog.Settlement) -> Void

  init(_ batch: consuming Batch, isLast: Bool, _ settled: @escaping @Sendable (consuming AuditLog.Settlement) -> Void) {
    user = batch.user
    drafts = batch.handOver()
    (self.isLast, self.settled) = (isLast, settled)
  }

  func settle(firstSequence: UInt64) { settled(.success(Receipt(firstSequence: firstSequence, count: drafts.count))) }
  func refuse(_ error: AuditError) { settled(.failure(error)) }
}
