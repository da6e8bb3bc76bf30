/// Proof that the records of one batch are durable and covered by a signed checkpoint.
///
/// Only `AuditLog.commit` makes one.
package struct Receipt: ~Copyable, Sendable {
  /// The sequence of the batch's first record; the others follow it.
  package let firstSequence: UInt64
  package let count: Int
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

/// Predicts from the last commits how many batches are about to come, so that the leader can wait
/// for them.
///
/// A caller that waits for each answer comes back soon after it, together with the others of the
/// same commit. If they did not wait for each other, they would split into several groups that take
/// turns at the disk. Only batches of the same user wait for each other, so that nobody's answer is
/// late because somebody else has many requests in flight.
struct ExpectedBatches {
  /// The number of batches of each user; nil stands for the daemon itself.
  typealias Count = [UInt32?: Int]

  private var expected: Count = [:]
  /// When the leader stops waiting, in nanoseconds of `Monitor.now`.
  private(set) var deadline: Int64 = 0

  /// How long after a commit its callers may take to come back, in nanoseconds: about as long as
  /// one or two commits.
  static let patience: Int64 = 500_000

  /// Whether, for some waiting user, all of the expected batches have come.
  func isComplete(_ waiting: Count) -> Bool {
    waiting.contains { user, count in count >= expected[user, default: 0] }
  }

  /// Notes a commit: its callers are expected back, besides those who were waiting meanwhile.
  ///
  /// A batch that does not come is expected once more at most.
  mutating func note(settled: Count, waiting: Count, at now: Int64) {
    let coming = settled.merging(waiting, uniquingKeysWith: +)
    expected = coming.merging(
      expected.compactMapValues { $0 > 1 ? $0 - 1 : nil }, uniquingKeysWith: max)
    deadline = now + Self.patience
  }
}
