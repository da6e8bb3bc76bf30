/// What must be true of a key daemon, written from `proto/` and not from the code. It knows which acts there were and what came of them.
///
/// Where a failing disk or a lost file leaves something open, it takes either answer; it never takes one that gives more than was granted.
struct Model {
  /// Seconds that a token is fresh, either way, by the machine's clock. [OP-OPEN-4]
  static let window: Int64 = 300
  static let useLimit = 6
  static let dailyQuota = 5

  private enum Token { case untried, unsure, opened }

  private var tokens: [(signed: Int64, state: Token)] = []
  private var uses = Count()
  private var draws: [Int64: Count] = [:]
  /// Days in which the clock was set, or records were lost: how much of a quota was used in these, nobody can say.
  private var unclearDays: Set<Int64> = []
  private var usedCodes = 0
  /// Codes made since one was right, and wrong ones tried.
  private var madeSince = 0, wrongSince = 0
  private var areCodesInDoubt = false
  /// Nil where a change may have happened and may not.
  private var life: Life? = .active
  /// True time until which a fresh token may be refused, because something was set back or lost.
  private var doubtful: Int64 = .min
  private var isDiskFaulty = false
  private var isTampered = false
  private var hasLostRecords = false
  /// How often something was granted for certain, and how often perhaps.
  private struct Count {
    var certain = 0
    var perhaps = 0
  }

  private enum Life { case active, suspended, retired, compromised, destroyed }

  /// - Parameters:
  ///   - time: true time in seconds.
  ///   - clock: the machine's clock.
  mutating func judge(_ act: Act, _ outcome: Outcome, time: Int64, clock: Int64) throws(Surprise) {
    switch act {
    case .open(let age):
      tokens.append((time - age, .untried))
      try open(tokens.count - 1, outcome, time, clock)
    case .openAgain(let number):
      guard !tokens.isEmpty else { return }
      try open(number % tokens.count, outcome, time, clock)
    case .use: try use(outcome)
    case .draw: try draw(outcome, clock)
    case .code: try makeCode(outcome)
    case .codeAgain: try repeatCode(outcome)
    case .work: try work(outcome)
    case .change(let change): try enter(change, outcome)
    case .wait: break
    case .setClock:
      doubt(time)
      unclearDays.insert(Self.day(clock))
    // What is left of a planned failure goes with the process.
    case .stop, .kill: if outcome == .done { isDiskFaulty = false }
    case .start: try start(outcome, time)
    case .fail: isDiskFaulty = true
    case .loseSegment:
      guard outcome == .done else { return }
      hasLostRecords = true
      doubt(time)
      unclearDays.insert(Self.day(clock))
    case .backUp: try answered(outcome)
    case .restore:
      guard outcome == .done else { return }
      (areCodesInDoubt, isTampered) = (true, true)
    case .putBack(let piece, _), .remove(let piece):
      guard outcome == .done else { return }
      isTampered = true
      if piece == .ledgers || piece == .store { areCodesInDoubt = true }
      if piece == .recollection || piece == .checkpoint { doubt(time) }
    }
  }

  private static func day(_ clock: Int64) -> Int64 { clock / 86_400 }

  private mutating func doubt(_ time: Int64) { doubtful = max(doubtful, time + 4 * Self.window) }

  /// Whether a request was carried out or refused on its merits; if not, whether it took effect is unsure.
  private func isAnswered(_ outcome: Outcome) -> Bool {
    switch outcome {
    case .said("audit-unavailable"), .said("internal"), .said("locked"), .down, .nothing, .done, .refused: false
    case .said: true
    }
  }

  private func answered(_ outcome: Outcome) throws(Surprise) {
    guard case .said = outcome, !isAnswered(outcome), !isDiskFaulty else { return }
    throw Surprise("nothing is wrong with the disk, and the answer is \(outcome)")
  }

  // MARK: requests

  private mutating func open(_ number: Int, _ outcome: Outcome, _ time: Int64, _ clock: Int64) throws(Surprise) {
    try answered(outcome)
    let token = tokens[number]
    guard isAnswered(outcome) else {
      if outcome != .down, token.state == .untried { tokens[number].state = .unsure }
      return
    }
    let distance = abs(clock - token.signed)
    if outcome.isOK {
      if token.state == .opened { throw Surprise("token \(number) is opened twice") }
      if distance > Self.window { throw Surprise("token \(number) is opened \(distance) s from its signing") }
      tokens[number].state = .opened
      return
    }
    guard outcome == .said("replay") || outcome == .said("signing-time") else { throw Surprise("a true token is \(outcome)") }
    let mustOpen = token.state == .untried && distance < Self.window && time > doubtful
    if mustOpen { throw Surprise("token \(number) is fresh, was never opened, and is refused") }
  }

  private mutating func use(_ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    guard isAnswered(outcome) else {
      if outcome != .down { uses.perhaps += 1 }
      return
    }
    if outcome.isOK {
      uses.certain += 1
      if uses.certain > Self.useLimit { throw Surprise("use \(uses.certain) of a key with \(Self.useLimit)") }
    } else if uses.certain + uses.perhaps < Self.useLimit {
      throw Surprise("use \(uses.certain + 1) of \(Self.useLimit) is refused: \(outcome)")
    }
  }

  private mutating func draw(_ outcome: Outcome, _ clock: Int64) throws(Surprise) {
    try answered(outcome)
    let day = Self.day(clock)
    guard isAnswered(outcome) else {
      if outcome != .down { draws[day, default: Count()].perhaps += 1 }
      return
    }
    guard outcome.isOK || outcome == .said("busy") else { throw Surprise("a draw is \(outcome)") }
    if outcome.isOK { draws[day, default: Count()].certain += 1 }
    let count = draws[day] ?? Count()
    guard !unclearDays.contains(day) else { return }
    if outcome.isOK, count.certain > Self.dailyQuota { throw Surprise("draw \(count.certain) of a day with \(Self.dailyQuota)") }
    if !outcome.isOK, count.certain + count.perhaps < Self.dailyQuota { throw Surprise("draw \(count.certain + 1) of \(Self.dailyQuota) is refused") }
  }

  private mutating func makeCode(_ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    madeSince += 1
    guard isAnswered(outcome) else { return }
    if outcome.isOK {
      (usedCodes, madeSince, wrongSince) = (usedCodes + 1, 0, 0)
    } else if !areCodesInDoubt, madeSince <= 2, wrongSince < 5, !isDiskFaulty {
      throw Surprise("a new code is \(outcome)")
    }
  }

  private mutating func repeatCode(_ outcome: Outcome) throws(Surprise) {
    if outcome.isOK { throw Surprise("a code is right twice") }
    if outcome != .nothing, outcome != .down { wrongSince += 1 }
    try answered(outcome)
  }

  private func work(_ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    guard isAnswered(outcome), let life else { return }
    switch life {
    case .active where !outcome.isOK && !isDiskFaulty: throw Surprise("an active key is \(outcome)")
    case .suspended, .retired, .compromised, .destroyed:
      if outcome.isOK, !isDiskFaulty { throw Surprise("a key that is \(life) serves") }
    case .active: break
    }
  }

  private mutating func enter(_ change: Act.Change, _ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    if outcome != .down, !isAnswered(outcome) { life = nil }
    guard outcome.isOK else { return }
    life =
      switch change {
      case .suspend: .suspended
      case .resume: .active
      case .retire: .retired
      case .compromise: .compromised
      case .destroy: .destroyed
      }
  }

  private mutating func start(_ outcome: Outcome, _ time: Int64) throws(Surprise) {
    switch outcome {
    case .done:
      isTampered = false
    case .refused(let reason):
      if !isTampered, !isDiskFaulty, !hasLostRecords { throw Surprise("the store and its log are as they were left, and do not open: \(reason)") }
      // The world puts the files back, and takes the fault away.
      (isTampered, isDiskFaulty) = (false, false)
    case .said, .nothing, .down: break
    }
  }
}
