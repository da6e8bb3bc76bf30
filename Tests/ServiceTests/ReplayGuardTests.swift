import Crypto
import Format
import Operations
import Policy
import ServiceHarness
import Testing

@testable import Audit

@Suite struct ReplayGuardTests {
  static let start = Timestamp(seconds: 1_750_000_000)

  static func transaction(_ number: UInt8) -> KeyedDigest { KeyedDigest(SHA256.hash([number])) }

  /// A guard that has been watching for long.
  static func guarding(capacity: Int = 100) -> ReplayGuard {
    ReplayGuard(
      window: 300, lead: 300, capacity: capacity,
      complete: ReplayHorizon.start(window: 300, lead: 300, now: start))
  }

  /// Envelopes that open once: valid for a day, and made at most five minutes after the present.
  private static func guardingEnvelopes() -> ReplayGuard {
    ReplayGuard(
      window: 86_400, lead: 300, capacity: 100,
      complete: ReplayHorizon.start(window: 86_400, lead: 300, now: start))
  }

  @Test(
    "[OP-ENV-5] what may have been opened before the log begins is refused, and everything younger that is still valid is not"
  )
  func leadOfEnvelopes() {
    let envelopes = Self.guardingEnvelopes()
    #expect(
      envelopes.reserve(
        Self.transaction(1), signedAt: Self.start.adding(seconds: -86_400), now: Self.start)
        == .reserved)
    #expect(
      envelopes.reserve(
        Self.transaction(2), signedAt: Self.start.adding(seconds: -86_400 - 900 + 299),
        now: Self.start) == .forgotten)
    envelopes.distrust(before: Self.start.adding(seconds: -100))
    #expect(
      envelopes.reserve(
        Self.transaction(3), signedAt: Self.start.adding(seconds: 199), now: Self.start)
        == .forgotten)
    #expect(
      envelopes.reserve(
        Self.transaction(4), signedAt: Self.start.adding(seconds: 200), now: Self.start)
        == .reserved)
  }

  @Test(
    "[OP-ENV-5] an envelope is remembered for as long as it is valid",
    arguments: Array(stride(from: 0 as Int64, through: 86_399, by: 7_200)))
  func remembersEnvelopes(_ later: Int64) {
    let envelopes = Self.guardingEnvelopes()
    #expect(
      envelopes.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .reserved)
    for step in stride(from: 0, through: later, by: 3_600) {
      let now = Self.start.adding(seconds: step)
      _ = envelopes.reserve(Self.transaction(UInt8(step / 3_600 + 10)), signedAt: now, now: now)
    }
    #expect(
      envelopes.reserve(
        Self.transaction(1), signedAt: Self.start, now: Self.start.adding(seconds: later))
        == .replayed)
  }

  @Test(
    "[OP-ENV-5] a guard that is widened keeps what it has for as long as anything new needs it, and believes nothing that it dropped"
  ) func widened() {
    let envelopes = ReplayGuard(
      window: 60, lead: 300, capacity: 100,
      complete: ReplayHorizon.start(window: 60, lead: 300, now: Self.start))
    #expect(
      envelopes.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .reserved)
    envelopes.widen(to: 86_400)
    for hour in 0...23 as ClosedRange<Int64> {
      let now = Self.start.adding(seconds: hour * 3_600)
      #expect(
        envelopes.reserve(Self.transaction(1), signedAt: Self.start, now: now) == .replayed,
        "hour \(hour)")
    }
    envelopes.widen(to: 60)
    #expect(envelopes.window == 86_400)
    #expect(
      envelopes.reserve(
        Self.transaction(2), signedAt: Self.start.adding(seconds: -3_600), now: Self.start)
        == .forgotten)
  }

  @Test(
    "[OP-OPEN-6] the first opening is reserved, a second refused, and a failed one may be tried again"
  ) func once() {
    let replays = Self.guarding()
    #expect(
      replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .reserved)
    #expect(
      replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .replayed)
    #expect(
      replays.reserve(Self.transaction(2), signedAt: Self.start, now: Self.start) == .reserved)
    do {
      var request = Reservations()
      #expect(
        replays.reserve(Self.transaction(3), signedAt: Self.start, now: Self.start, into: &request)
          == .reserved)
      #expect(
        replays.reserve(Self.transaction(3), signedAt: Self.start, now: Self.start) == .replayed)
    }
    #expect(
      replays.reserve(Self.transaction(3), signedAt: Self.start, now: Self.start) == .reserved)
  }

  @Test(
    "a transaction is remembered for as long as its token can be fresh",
    arguments: [0, 1, 299, 300, 599, 600] as [Int64])
  func remembers(_ later: Int64) {
    let replays = Self.guarding()
    // Signed a whole window ahead: the latest that its token stays fresh.
    let signed = Self.start.adding(seconds: 300)
    #expect(replays.reserve(Self.transaction(1), signedAt: signed, now: Self.start) == .reserved)
    for step in stride(from: 0, through: later, by: 50) {
      _ = replays.reserve(
        Self.transaction(UInt8(step / 50 + 10)), signedAt: signed,
        now: Self.start.adding(seconds: step))
    }
    #expect(
      replays.reserve(Self.transaction(1), signedAt: signed, now: Self.start.adding(seconds: later))
        == .replayed)
  }

  @Test("after it has forgotten a transaction, a clock set back does not bring its token back")
  func clockSetBack() {
    let replays = Self.guarding()
    #expect(
      replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .reserved)
    for day in 1...3 as ClosedRange<Int64> {
      let now = Self.start.adding(seconds: day * 86_400)
      #expect(
        replays.reserve(Self.transaction(UInt8(day + 1)), signedAt: now, now: now) == .reserved)
    }
    #expect(
      replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .forgotten)
  }

  @Test("what the log tells is remembered, what lies before it is not believed") func restores() {
    let replays = Self.guarding()
    replays.restore(
      Self.transaction(1), openedAt: Self.start.adding(seconds: -100), now: Self.start)
    #expect(
      replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .replayed)
    let before = ReplayHorizon.start(window: 300, lead: 300, now: Self.start).adding(seconds: 299)
    #expect(replays.reserve(Self.transaction(2), signedAt: before, now: before) == .forgotten)
  }

  /// The log says when a token was opened; it may have been signed a window later than that.
  @Test("[OP-OPEN-6] a clock that goes back over two restarts opens nothing again")
  func clockSetBackOverRestarts() {
    let opened = Self.start
    let signed = Self.start.adding(seconds: 290)
    let later = Self.start.adding(seconds: 1200)
    let now = Self.start.adding(seconds: 10)
    let replays = ReplayGuard(
      window: 300, lead: 300, capacity: 100,
      complete: ReplayHorizon.start(window: 300, lead: 300, now: now))
    replays.restore(Self.transaction(1), openedAt: opened, now: Self.start.adding(seconds: 10))
    replays.restore(Self.transaction(2), openedAt: later, now: Self.start.adding(seconds: 10))
    #expect(
      replays.reserve(Self.transaction(1), signedAt: signed, now: Self.start.adding(seconds: 10))
        == .replayed)
    #expect(
      replays.reserve(Self.transaction(2), signedAt: later, now: Self.start.adding(seconds: 10))
        == .replayed)
    // Forgotten once it is stale, and then too old for ever.
    for step in stride(from: 600 as Int64, through: 3600, by: 600) {
      _ = replays.reserve(
        Self.transaction(3), signedAt: later, now: Self.start.adding(seconds: step))
    }
    #expect(
      replays.reserve(Self.transaction(1), signedAt: signed, now: Self.start.adding(seconds: 10))
        == .forgotten)
  }

  @Test("what may still be fresh is not dropped, and nothing fresh is refused for what is")
  func keepsWhatIsFresh() {
    let replays = Self.guarding()
    let ahead = Self.start.adding(seconds: 5000)
    replays.restore(Self.transaction(1), openedAt: ahead, now: Self.start)
    for step in stride(from: 0 as Int64, through: 5200, by: 100) {
      let now = Self.start.adding(seconds: step)
      #expect(
        replays.reserve(
          Self.transaction(UInt8(step / 100 + 10)), signedAt: now.adding(seconds: -300), now: now)
          == .reserved)
      #expect(replays.reserve(Self.transaction(1), signedAt: ahead, now: now) == .replayed)
    }
  }

  @Test("a clock that was ahead does not fill the guard for as long") func aheadForAMoment() {
    let replays = Self.guarding(capacity: 3)
    let ahead = Self.start.adding(seconds: 400 * 86_400)
    #expect(replays.reserve(Self.transaction(1), signedAt: ahead, now: ahead) == .reserved)
    for step in 1...20 as ClosedRange<Int64> {
      let now = Self.start.adding(seconds: step * 600)
      #expect(
        replays.reserve(Self.transaction(UInt8(step + 1)), signedAt: now, now: now) == .reserved)
    }
  }

  @Test("what was not read back from the log is not believed") func distrusts() {
    let replays = Self.guarding()
    replays.distrust(before: Self.start)
    #expect(
      replays.reserve(
        Self.transaction(1), signedAt: Self.start.adding(seconds: 299), now: Self.start)
        == .forgotten)
    #expect(
      replays.reserve(
        Self.transaction(1), signedAt: Self.start.adding(seconds: 300), now: Self.start)
        == .reserved)
  }

  @Test(
    "what is doubted, while the clock is set back, is refused once the clock is there again, also after a stop in between",
    arguments: [false, true]) func distrustsLater(_ isStopped: Bool)
  {
    let back = Self.start.adding(seconds: -90_000)
    var replays = ReplayGuard(
      window: 300, lead: 300, capacity: 100,
      complete: ReplayHorizon.start(window: 300, lead: 300, now: back))
    replays.distrustLater(before: Self.start)
    #expect(replays.reserve(Self.transaction(1), signedAt: back, now: back) == .reserved)
    if isStopped {
      replays = ReplayGuard(
        window: 300, lead: 300, capacity: 100, replays.contents, now: Self.start)
    }
    #expect(
      replays.reserve(
        Self.transaction(2), signedAt: Self.start.adding(seconds: 299), now: Self.start)
        == .forgotten)
    #expect(
      replays.reserve(
        Self.transaction(2), signedAt: Self.start.adding(seconds: 300), now: Self.start)
        == .reserved)
  }

  @Test("a full guard refuses rather than forgets") func full() {
    let replays = Self.guarding(capacity: 3)
    for number in 1...3 as ClosedRange<UInt8> {
      #expect(
        replays.reserve(Self.transaction(number), signedAt: Self.start, now: Self.start)
          == .reserved)
    }
    #expect(replays.reserve(Self.transaction(4), signedAt: Self.start, now: Self.start) == .full)
    #expect(
      replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .replayed)
  }
}

extension ReplayGuard {
  /// As an opening whose record is durable at once.
  fileprivate func reserve(_ transaction: KeyedDigest, signedAt: Timestamp, now: Timestamp)
    -> Verdict
  {
    var request = Reservations()
    let verdict = reserve(transaction, signedAt: signedAt, now: now, into: &request)
    request.keep(Receipt(firstSequence: 0, count: 1))
    return verdict
  }
}
