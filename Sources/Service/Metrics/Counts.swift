import Format
import Operations
import Policy

/// What requests came to, and how long they took.
struct Counts: Sendable {
  /// What the requests of one operation came to.
  struct Answers: Sendable {
    /// In the order of `Status`.
    fileprivate(set) var statuses = [UInt64](repeating: 0, count: Status.allCases.count)
    /// By the check that they failed.
    fileprivate(set) var rejections: [Stage: UInt64] = [:]
    /// From when a request had arrived to when its reply could leave.
    fileprivate(set) var times = Histogram(Histogram.times)
    /// How long the work on a request took.
    fileprivate(set) var computing = Histogram(Histogram.times)

    fileprivate mutating func add(_ other: Answers) {
      for place in statuses.indices { statuses[place] += other.statuses[place] }
      rejections.merge(other.rejections, uniquingKeysWith: +)
      times.add(other.times)
      computing.add(other.computing)
    }
  }

  /// By operation; nil for one that is not known.
  private(set) var answers: [Opcode?: Answers] = [:]
  private(set) var denials: [Denial: UInt64] = [:]
  private(set) var busy: [BusyCause: UInt64] = [:]
  /// Batches that wait or are worked on, or whose records are not durable yet; noting their answers
  /// ends them.
  var inFlight = 0
  /// How long batches waited for their turn.
  private(set) var queueing = Histogram(Histogram.times)
  /// How long batches waited until their records were durable.
  private(set) var committing = Histogram(Histogram.times)
  /// How long batches waited for the fleet's store, and how many of them in vain.
  var claiming = Histogram(Histogram.times)
  var unanswered: UInt64 = 0
  /// Tokens whose claims others had, before they were opened and after.
  var (claimsRefused, duplicates): (UInt64, UInt64) = (0, 0)
  /// How many requests batches had.
  private(set) var batches = Histogram(Histogram.sizes)
  /// How many records the log's commits had.
  var commits = Histogram(Histogram.sizes)

  /// - Parameter times: what its steps took, in nanoseconds.
  mutating func note(_ answered: [ReplyBuffer.Entry], _ times: BatchWatch.Times) {
    inFlight -= 1
    queueing.note(times.queued)
    if let committed = times.committed { committing.note(committed) }
    batches.note(UInt64(answered.count))
    // Requests of one batch are mostly alike: one look-up for those that follow one another.
    var rest = answered[...]
    while let first = rest.first {
      let alike = rest.prefix {
        $0.request.opcode == first.request.opcode && $0.status == first.status
          && $0.stage == first.stage
      }
      answers[Opcode(rawValue: first.request.opcode), default: Answers()].note(
        first, alike, times.all)
      rest = rest.dropFirst(alike.count)
    }
  }

  mutating func note(_ denial: Denial) {
    denials[denial, default: 0] += 1
    if let cause = denial.busyCause { note(cause) }
  }

  mutating func note(_ cause: BusyCause) { busy[cause, default: 0] += 1 }

  mutating func add(_ other: Counts) {
    for (opcode, theirs) in other.answers { answers[opcode, default: Answers()].add(theirs) }
    denials.merge(other.denials, uniquingKeysWith: +)
    busy.merge(other.busy, uniquingKeysWith: +)
    inFlight += other.inFlight
    queueing.add(other.queueing)
    committing.add(other.committing)
    claiming.add(other.claiming)
    unanswered += other.unanswered
    claimsRefused += other.claimsRefused
    duplicates += other.duplicates
    batches.add(other.batches)
    commits.add(other.commits)
  }
}

extension Counts.Answers {
  /// - Parameters:
  ///   - alike: requests of one batch that came to the same as `first`.
  ///   - nanoseconds: how long each of them took.
  fileprivate mutating func note(
    _ first: ReplyBuffer.Entry, _ alike: ArraySlice<ReplyBuffer.Entry>, _ nanoseconds: UInt64
  ) {
    let count = UInt64(alike.count)
    statuses[Int(first.status.rawValue)] += count
    if let stage = first.stage { rejections[stage, default: 0] += count }
    times.note(nanoseconds, times: count)
    for entry in alike { computing.note(entry.nanoseconds) }
  }
}

extension Denial {
  /// What was used up, if the denial is answered `busy`.
  fileprivate var busyCause: BusyCause? {
    switch self {
    case .rate: .rate
    case .quota: .quota
    case .noGrant, .overflowIdentity, .unknownKey, .wrongSocket, .subordinateUser: nil
    }
  }
}

/// How many values fell into each of some fixed ranges, and their sum.
struct Histogram: Sendable {
  /// The upper bounds, ascending.
  let bounds: [UInt64]
  /// One more than there are bounds.
  private(set) var counts: [UInt64]
  private(set) var sum: UInt64 = 0

  init(_ bounds: [UInt64]) {
    self.bounds = bounds
    counts = [UInt64](repeating: 0, count: bounds.count + 1)
  }

  mutating func note(_ value: UInt64, times: UInt64 = 1) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += times
    sum &+= value &* times
  }

  mutating func add(_ other: Histogram) {
    for place in counts.indices { counts[place] += other.counts[place] }
    sum &+= other.sum
  }

  /// From 10 µs to 5 s, in nanoseconds.
  static let times: [UInt64] = [
    10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
    25_000_000, 50_000_000, 100_000_000, 500_000_000,
    1_000_000_000, 5_000_000_000,
  ]
  /// Numbers of things.
  static let sizes: [UInt64] = [1, 2, 4, 8, 16, 32, 64, 128]
}
