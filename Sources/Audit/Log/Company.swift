/// How many batches are about to come to the log, as the last commits tell.
///
/// Who waits for each answer comes back soon after it, and together with those of the same commit. Without waiting for each other
/// they would fall into several groups that take turns at the disk. Only batches of one user wait for each other: nobody's answer
/// is late because somebody else works on many requests.
struct Company {
  /// How many batches of each user; nil stands for the daemon itself.
  typealias Count = [UInt32?: Int]

  private var expected: Count = [:]
  /// When the leader goes on without those who did not come, in nanoseconds of `Monitor.now`.
  private(set) var deadline: Int64 = 0

  /// How long after a commit those of it may take to come back, in nanoseconds: about what one or two commits take.
  static let patience: Int64 = 500_000

  /// Whether of somebody who waits no more batches are about to come than wait already.
  func isComplete(_ waiting: Count) -> Bool { waiting.contains { user, count in count >= expected[user, default: 0] } }

  /// Notes a commit: those of it and those who waited meanwhile are different callers.
  ///
  /// One who stays away is waited for once more at the most.
  mutating func note(settled: Count, waiting: Count, at now: Int64) {
    let coming = settled.merging(waiting, uniquingKeysWith: +)
    expected = coming.merging(expected.compactMapValues { $0 > 1 ? $0 - 1 : nil }, uniquingKeysWith: max)
    deadline = now + Self.patience
  }
}
