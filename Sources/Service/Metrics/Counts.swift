internal import Operations
internal import Policy
internal import Wire

/// What requests came to, and how long they took.
struct Counts: Sendable {
  /// A request's operation, nil for one that is not known, and how it was answered.
  struct Answer: Hashable {
    let opcode: Opcode?
    let status: Status
  }

  /// An operation, and the check at which it rejected a request.
  struct Rejected: Hashable {
    let opcode: Opcode?
    let stage: Stage
  }

  private(set) var answers: [Answer: UInt64] = [:]
  private(set) var rejections: [Rejected: UInt64] = [:]
  private(set) var denials: [Denial: UInt64] = [:]
  private(set) var busy: [BusyCause: UInt64] = [:]
  /// How long batches waited for their turn.
  private(set) var queueing = Histogram(.time)
  /// How long the work on requests took, in the order of `OperationClass`.
  private(set) var computing = [Histogram](repeating: Histogram(.time), count: OperationClass.allCases.count)
  /// How long batches waited until their records were durable.
  private(set) var committing = Histogram(.time)
  /// How long batches waited for the fleet's store, and how many of them in vain.
  private(set) var claiming = Histogram(.time)
  private(set) var unanswered: UInt64 = 0
  /// Tokens whose claims others had, before they were opened and after.
  private(set) var (claimsRefused, duplicates): (UInt64, UInt64) = (0, 0)
  /// How many requests batches had.
  private(set) var batches = Histogram(.size)
  /// How many records the log's commits had.
  private(set) var commits = Histogram(.size)

  /// - Parameters:
  ///   - queued: how long it waited for its turn, in nanoseconds.
  ///   - committed: how long it waited for its records, if it had any.
  mutating func note(_ answered: [ReplyBuffer.Entry], queued: UInt64, committed: UInt64?) {
    queueing.note(queued)
    if let committed { committing.note(committed) }
    batches.note(UInt64(answered.count))
    for entry in answered { computing[OperationClass(entry.request.opcode).rawValue].note(entry.nanoseconds) }
    // Requests of one batch are mostly alike: one look-up for those that follow one another.
    var rest = answered[...]
    while let first = rest.first {
      let others = rest.drop { $0.request.opcode == first.request.opcode && $0.status == first.status && $0.stage == first.stage }
      let (opcode, count) = (Opcode(rawValue: first.request.opcode), UInt64(rest.count - others.count))
      answers[Answer(opcode: opcode, status: first.status), default: 0] += count
      if let stage = first.stage { rejections[Rejected(opcode: opcode, stage: stage), default: 0] += count }
      rest = others
    }
  }

  mutating func note(_ denial: Denial) {
    denials[denial, default: 0] += 1
    if let cause = denial.busyCause { note(cause) }
  }

  mutating func note(_ cause: BusyCause) { busy[cause, default: 0] += 1 }

  mutating func note(claimedIn nanoseconds: UInt64, isAway: Bool) {
    claiming.note(nanoseconds)
    if isAway { unanswered += 1 }
  }

  mutating func note(claimsRefused count: Int) { claimsRefused += UInt64(count) }

  mutating func noteDuplicate() { duplicates += 1 }

  mutating func note(commitOf records: Int) { commits.note(UInt64(records)) }

  mutating func add(_ other: Counts) {
    answers.merge(other.answers, uniquingKeysWith: +)
    rejections.merge(other.rejections, uniquingKeysWith: +)
    denials.merge(other.denials, uniquingKeysWith: +)
    busy.merge(other.busy, uniquingKeysWith: +)
    for place in computing.indices { computing[place].add(other.computing[place]) }
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
