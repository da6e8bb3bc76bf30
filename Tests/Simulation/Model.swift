/// What must be true of a key daemon, written from `proto/` and not from the code. It knows which
/// acts there were and what came of them.
///
/// Where a failing disk or a lost file leaves something open, it takes either answer; it never
/// takes one that gives more than was granted.
struct Model {
  /// Seconds that a token is fresh, either way, by the machine's clock. [OP-OPEN-4]
  static let window: Int64 = 300
  /// 2049-12-31T23:59:59Z, the end of all certificates of tokens. [OP-OPEN-4]
  static let certificatesEnd: Int64 = 2_524_607_999
  static let useLimit = 6
  static let dailyQuota = 5
  /// Seconds that an envelope lasts. [OP-ENV-4]
  static let envelopeLifetime: Int64 = 3600
  /// Seconds that a request waits, and its approval holds. [OP-APPROVE-4]
  static let approvalTime: Int64 = 600

  /// Seconds from a first opening, by the machine's clock, in which the same request opens again.
  /// [OP-OPEN-11]
  static let retryWindow: Int64 = 120

  enum State { case untried, unsure, opened }

  struct Token {
    let signed: Int64
    let canRetry: Bool
    var state = State.untried
    /// By the machine's clock: when it may have been opened first.
    var tries: [Int64] = []
  }

  var tokens: [Token] = []
  /// Envelopes that open once, by their token's number: when the first of it was made by the
  /// machine's clock, and whether records that would tell of their opening may be lost.
  var envelopes: [(token: Int, made: Int64, isDoubtful: Bool)] = []
  /// Whether an envelope of a token was opened, by the token's number; those of one token are one.
  var payments: [Int: State] = [:]
  /// The requests that may have opened it first, by the token's number.
  var tries: [Int: [EnvelopeTry]] = [:]

  struct EnvelopeTry {
    let envelope: Int
    let canRetry: Bool
    /// By the machine's clock.
    let clock: Int64

    /// Whether it can be repeated at that time. [OP-ENV-7]
    func isRepeated(by envelope: Int, at clock: Int64) -> Bool {
      canRetry && envelope == self.envelope && abs(clock - self.clock) <= Model.retryWindow
    }
  }

  var uses = Count()
  var draws: [Int64: Count] = [:]
  /// Days of which a later one's uses count, too, because the clock was set, and days of which
  /// records were lost: how much of a quota was used in these, nobody can say.
  var unclearDays: Set<Int64> = [], lostDays: Set<Int64> = []
  /// Whether a code was right, by its number.
  var codes: [State] = []
  /// Codes made since one was right, and wrong ones tried.
  var madeSince = 0, wrongSince = 0
  var areCodesInDoubt = false
  var handles: [Handle] = []
  var imported: [ImportedKey] = []
  /// Nil where a change may have happened and may not.
  var life: Life? = .active
  /// What the key is again once it is resumed. [KS-SUSPEND]
  var resumed: Life? = .active
  /// Whether a copy of the store can have the key as suspended, which no unlocking resumes.
  /// [KS-RESTORE-STATE]
  var wasSuspended = false
  /// True time until which a fresh token may be refused, because something was set back or lost.
  var doubtful: Int64 = .min
  /// When the request to destroy the key was made that waits, and whether somebody else approved
  /// it. Nil for none.
  var request: (made: Int64, isApproved: Bool)?
  var isDrawGranted = true
  /// The latest that the machine's clock was.
  var latest: Int64 = 0
  /// How far the clock was last set ahead of true time.
  var ahead: Int64 = 0
  var isLocked = false
  /// Whether other requests are made at the same time.
  var isInCompany = false
  /// What those that found no room for their records had in hand before: meanwhile the others were
  /// told that it is used.
  var inHand: (tokens: Set<Int>, payments: Set<Int>) = ([], [])
  /// The custodians whose shares were taken, and true time when the first was.
  var shares: (of: Set<Int>, since: Int64) = ([], 0)
  /// Whether no start has seen yet what a ceremony changed.
  var isUnrecorded = false
  var isDiskFull = false
  var isDiskFaulty = false
  var isTampered = false
  /// Whether a restored backup is all that was done to the store since the last start.
  var isRestored = false
  var hasLostRecords = false
  var hasPruned = false
  /// Whether this is another host, which has not started yet.
  var isOnNewHost = false
  /// Whether nothing but the log's records tells of uses until the next start.
  var areCountersGone = false
  /// How often something was granted for certain, and how often perhaps.
  struct Count {
    var certain = 0
    var perhaps = 0
    /// Whether some may be forgotten.
    var isOpen = false
  }

  enum Life { case active, suspended, retired, compromised, destroyed }

  /// - Parameters:
  ///   - time: true time in seconds.
  ///   - clock: the machine's clock.
  mutating func judge(_ act: Act, _ outcome: Outcome, time: Int64, clock: Int64) throws(Surprise) {
    latest = max(latest, clock)
    switch act {
    case .open(let age, let canRetry):
      tokens.append(Token(signed: time - age, canRetry: canRetry))
      try open(tokens.count - 1, outcome, time, clock)
    case .mint(let age, let canRetry): tokens.append(Token(signed: time - age, canRetry: canRetry))
    case .openAgain(let number):
      guard !tokens.isEmpty else { return }
      let number = tokens.place(around: number)
      try open(number, outcome, time, clock)
      if outcome.isOK, payments[number] != nil { seal(number, time, clock) }
    case .together(let acts):
      guard case .each(let outcomes) = outcome else { return }
      try judge(together: acts, outcomes, time: time, clock: clock)
    case .seal:
      tokens.append(Token(signed: time, canRetry: true))
      payments[tokens.count - 1] = .untried
      try open(tokens.count - 1, outcome, time, clock)
      if outcome.isOK { seal(tokens.count - 1, time, clock) }
    case .tokenise:
      try answered(outcome)
      guard outcome.isOK else { return }
      // No token gave it: a number of its own.
      payments[-envelopes.count - 1] = .untried
      envelopes.append((-envelopes.count - 1, clock, time <= doubtful))
    case .openEnvelope(let number, let canRetry):
      guard !envelopes.isEmpty else { return }
      let number = envelopes.place(around: number)
      try openEnvelope(EnvelopeTry(envelope: number, canRetry: canRetry, clock: clock), outcome)
    case .use: try use(outcome)
    case .draw: try draw(outcome, clock)
    case .code: try makeCode(outcome)
    case .newCode: try newCode(outcome)
    case .codeAgain(let number):
      guard !codes.isEmpty else { return }
      try tryCode(codes.place(around: number), outcome)
    case .agree: try agree(outcome, time)
    case .derive(let number): try derive(number, outcome, time)
    case .useHandle(let number, let isOwn): try useHandle(number, isOwn: isOwn, outcome, time)
    case .releaseHandle(let number): try releaseHandle(number, outcome, time)
    case .importKey(let isActive, let lifetime):
      try importKey(isActive: isActive, lifetime: lifetime, outcome, clock)
    case .useImported(let number): try useImported(number, outcome, clock)
    case .advance(let number): try advance(number, outcome, clock)
    case .work: try work(outcome)
    case .change(let change): try enter(change, outcome, time)
    case .approve(let own): try approve(own, outcome, time)
    case .swap(let grants): try swap(grants, outcome, clock)
    case .lock:
      try answered(outcome)
      if outcome.isOK { lock() }
      // [OP-SHARE-4]
      if outcome == .said("locked") { shares.of = [] }
    case .unlock: try unlock(outcome)
    case .submitShare(let number): try submitShare(number, outcome, time)
    case .hold(let ceremony): try hold(ceremony, outcome)
    case .wait: break
    case .setClock:
      // What was written while the clock was ahead lies in the future, and what is lost of it may,
      // too.
      doubt(time + max(0, ahead - (clock - time)))
      ahead = clock - time
      // What was used while it was ahead counts until that time has come.
      unclearDays.formUnion(Self.day(clock)...Self.day(latest))
    // What is left of a planned failure goes with the process.
    case .stop, .kill:
      guard outcome == .done else { return }
      isDiskFaulty = false
      isDiskFull = false
      isLocked = false
      request = nil
      dropHandles()
    case .start: try start(outcome, time, clock)
    case .fail:
      isDiskFaulty = true
      doubtHandles()
    case .fill:
      isDiskFull = true
      doubtHandles()
    case .makeRoom: isDiskFull = false
    case .loseSegment:
      guard outcome == .done else { return }
      hasLostRecords = true
      if areCountersGone { uses.isOpen = true }
      doubt(time)
      // What is lost may be as late as the clock ever was.
      lostDays.formUnion(Self.day(clock)...Self.day(latest))
    // Only an older store misses what was pruned.
    case .prune, .compress:
      hasPruned = hasPruned || outcome == .done || outcome == .said("old segments stay")
      // [AUD-SEG-4]
      if outcome == .said("old segments stay"), abs(ahead) < 86_400 * 2 {
        throw Surprise("segments of a month ago cannot be pruned")
      }
    case .keepCheckpoint: break
    case .audit(_, let isForked): try audit(isForked: isForked, outcome)
    case .backUp: try answered(outcome)
    case .restore:
      guard outcome == .done else { return }
      areCodesInDoubt = true
      isTampered = true
      isRestored = true
      // It opens only if every record since the backup was read. [KS-RESTORE-STATE]
      doubtImported(unlessRetired: !isUnrecorded)
      if isUnrecorded || wasSuspended && life == .active { life = nil }
    case .move:
      guard outcome == .done else { return }
      areCodesInDoubt = true
      hasLostRecords = true
      uses.isOpen = true
      life = nil
      resumed = nil
      isTampered = false
      isUnrecorded = false
      isDiskFaulty = false
      isDiskFull = false
      isOnNewHost = true
      doubtImported(unlessRetired: false)
      doubt(time)
      lostDays.formUnion(Self.day(clock)...Self.day(latest))
      // Their records went with the log, and the new one begins on whatever day the clock has.
      lostDays.formUnion(draws.keys)
    case .putBack(let piece, _), .remove(let piece):
      guard outcome == .done else { return }
      isTampered = true
      isRestored = false
      if piece == .ledgers || piece == .store { areCodesInDoubt = true }
      // THREATS.md has this as open: the records that would tell that the store is older are gone.
      if piece == .store, hasLostRecords || hasPruned || isUnrecorded {
        life = nil
        resumed = nil
        uses.isOpen = true
        doubtImported(unlessRetired: false)
      }
      // Likewise of the uses that only lost records tell of.
      if piece == .counters {
        (areCountersGone, uses.isOpen) = (true, uses.isOpen || hasLostRecords || hasPruned)
      }
      if piece == .recollection || piece == .checkpoint { doubt(time) }
    }
  }

  /// What a kept checkpoint must show. [AUD-PROOF-4]
  private func audit(isForked: Bool, _ outcome: Outcome) throws(Surprise) {
    guard case .said(let verdict) = outcome else { return }
    if isForked, verdict == "good" {
      throw Surprise("a fork of the log is good, although its checkpoint was kept elsewhere")
    }
    if !isForked, !hasLostRecords, verdict != "good", verdict != "torn" {
      throw Surprise("the log is \(verdict) by its own checkpoint")
    }
  }

  static func day(_ clock: Int64) -> Int64 { clock / 86_400 }

  mutating func doubt(_ time: Int64) {
    doubtful = max(doubtful, time + 4 * Self.window)
    for place in envelopes.indices { envelopes[place].isDoubtful = true }
  }

  /// Whether a request was carried out or refused on its merits; if not, whether it took effect is
  /// unsure.
  func isAnswered(_ outcome: Outcome) -> Bool {
    switch outcome {
    case .said("audit-unavailable"), .said("internal"), .said("locked"), .down, .nothing, .done,
      .refused, .each:
      false
    case .said: true
    }
  }

  /// Whether what a request took was certainly given back: its record found no room, and nothing
  /// else is wrong with the disk.
  func isGivenBack(_ outcome: Outcome) -> Bool {
    outcome == .said("audit-unavailable") && isDiskFull && !isDiskFaulty
  }

  func answered(_ outcome: Outcome) throws(Surprise) {
    if isLocked, outcome != .down, outcome != .nothing, outcome != .said("locked") {
      throw Surprise("the store is locked, and the answer is \(outcome)")
    }
    guard case .said = outcome, !isAnswered(outcome), !isLocked, !isDiskFaulty, !isDiskFull else {
      return
    }
    throw Surprise("nothing is wrong with the disk, and the answer is \(outcome)")
  }
}
