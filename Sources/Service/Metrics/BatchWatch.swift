internal import Policy

/// Measures the steps of one batch, in nanoseconds, and counts it once it is answered.
struct BatchWatch: Sendable {
  let counts: ConnectionCounts
  private var queued: UInt64 = 0
  /// When the last step ended.
  private var last: Int64

  init(_ counts: ConnectionCounts, at now: MonotonicTime) { (self.counts, last) = (counts, now.nanoseconds) }

  /// Its turn has come.
  mutating func begin(at now: Int64) { queued = step(at: now) }

  /// How long the step took that ends now.
  mutating func step(at now: Int64) -> UInt64 {
    defer { last = now }
    return UInt64(max(0, now - last))
  }

  /// - Parameter committed: when its records were durable; nil if it had none.
  func count(_ answers: [ReplyBuffer.Entry], committed: MonotonicTime? = nil) {
    counts.note(answers, queued: queued, committed: committed.map { UInt64(max(0, $0.nanoseconds - last)) })
  }
}
