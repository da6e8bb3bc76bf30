internal import Policy

/// Measures the steps of one batch, in nanoseconds, and counts it once it is answered.
struct BatchWatch: Sendable {
  /// What a batch took.
  struct Times {
    /// For how long it waited for its turn.
    let queued: UInt64
    /// For how long it waited for its records; nil if it had none.
    let committed: UInt64?
    /// From when it had arrived to when its replies can leave.
    let all: UInt64
  }

  let counts: ConnectionCounts
  private let arrived: Int64
  private var queued: UInt64 = 0
  /// When the last step ended.
  private var last: Int64

  /// - Parameter arrived: when it was read; nil for now.
  init(_ counts: ConnectionCounts, arrived: Int64?, at now: MonotonicTime) {
    (self.counts, self.arrived, last) = (counts, arrived ?? now.nanoseconds, now.nanoseconds)
    counts.change { $0.inFlight += 1 }
  }

  /// Its turn has come.
  mutating func begin(at now: Int64) { queued = step(at: now) }

  /// How long the step took that ends now.
  mutating func step(at now: Int64) -> UInt64 {
    defer { last = now }
    return Self.time(from: last, to: now)
  }

  /// - Parameter hasRecords: whether they are durable since now.
  func count(_ answers: [ReplyBuffer.Entry], at now: MonotonicTime, hasRecords: Bool) {
    let now = now.nanoseconds
    let times = Times(queued: queued, committed: hasRecords ? Self.time(from: last, to: now) : nil, all: Self.time(from: arrived, to: now))
    counts.change { $0.note(answers, times) }
  }

  private static func time(from begin: Int64, to end: Int64) -> UInt64 { UInt64(max(0, end - begin)) }
}
