/// How many batches are about to come to the log, as the last commits tell.
///
/// Who waits for each answer comes back soon after it, and together with those of the same commit. Without waiting for each other
/// they would fall into several groups that take turns at the disk.
struct Company {
  private var expected = 0
  /// When the leader goes on without those who did not come, in nanoseconds of `Monitor.now`.
  private(set) var deadline: Int64 = 0

  /// How long after a commit those of it may take to come back, in nanoseconds: about what one or two commits take.
  static let patience: Int64 = 500_000

  /// Whether nobody more is about to come than wait already.
  func isComplete(_ waiting: Int) -> Bool { waiting >= expected }

  /// Notes a commit: those of it and those who waited meanwhile are different callers.
  ///
  /// One who stays away is waited for once more at the most.
  mutating func note(settled: Int, waiting: Int, at now: Int64) {
    expected = max(settled + waiting, expected - 1)
    deadline = now + Self.patience
  }
}
