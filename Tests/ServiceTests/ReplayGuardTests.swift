import Audit
import CryptoBackend
import Encoding
import Operations
import ServiceHarness
import Testing

@Suite struct ReplayGuardTests {
  static let start = Timestamp(seconds: 1_750_000_000)

  static func transaction(_ number: UInt8) -> KeyedDigest { KeyedDigest(SHA256.hash([number])) }

  /// A guard that has been watching for long.
  static func guarding(capacity: Int = 100) -> ReplayGuard {
    ReplayGuard(window: 300, capacity: capacity, complete: ReplayGuard.horizon(window: 300, now: start))
  }

  @Test("[OP-OPEN-6] the first opening is reserved, a second refused, and a failed one may be tried again") func once() {
    let replays = Self.guarding()
    #expect(replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .reserved)
    #expect(replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .replayed)
    #expect(replays.reserve(Self.transaction(2), signedAt: Self.start, now: Self.start) == .reserved)
    replays.release(Self.transaction(1))
    #expect(replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .reserved)
  }

  @Test("a transaction is remembered for as long as its token can be fresh", arguments: [0, 1, 299, 300, 599, 600] as [Int64])
  func remembers(_ later: Int64) {
    let replays = Self.guarding()
    // Signed a whole window ahead: the latest that its token stays fresh.
    let signed = Self.start.adding(seconds: 300)
    #expect(replays.reserve(Self.transaction(1), signedAt: signed, now: Self.start) == .reserved)
    for step in stride(from: 0, through: later, by: 50) {
      _ = replays.reserve(Self.transaction(UInt8(step / 50 + 10)), signedAt: signed, now: Self.start.adding(seconds: step))
    }
    #expect(replays.reserve(Self.transaction(1), signedAt: signed, now: Self.start.adding(seconds: later)) == .replayed)
  }

  @Test("after it has forgotten a transaction, a clock set back does not bring its token back") func clockSetBack() {
    let replays = Self.guarding()
    #expect(replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .reserved)
    for day in 1...3 as ClosedRange<Int64> {
      let now = Self.start.adding(seconds: day * 86_400)
      #expect(replays.reserve(Self.transaction(UInt8(day + 1)), signedAt: now, now: now) == .reserved)
    }
    #expect(replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .forgotten)
  }

  @Test("what the log tells is remembered, what lies before it is not believed") func restores() {
    let replays = Self.guarding()
    replays.restore(Self.transaction(1), openedAt: Self.start.adding(seconds: -100))
    #expect(replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .replayed)
    let before = ReplayGuard.horizon(window: 300, now: Self.start).adding(seconds: 299)
    #expect(replays.reserve(Self.transaction(2), signedAt: before, now: before) == .forgotten)
  }

  @Test("a full guard refuses rather than forgets") func full() {
    let replays = Self.guarding(capacity: 3)
    for number in 1...3 as ClosedRange<UInt8> {
      #expect(replays.reserve(Self.transaction(number), signedAt: Self.start, now: Self.start) == .reserved)
    }
    #expect(replays.reserve(Self.transaction(4), signedAt: Self.start, now: Self.start) == .full)
    #expect(replays.reserve(Self.transaction(1), signedAt: Self.start, now: Self.start) == .replayed)
  }
}
