import Testing

@testable import Review
@testable import kist

@Suite struct ReadingProgressTests {
  private var progress = ReadingProgress(end: 1000)

  private mutating func read(_ bytes: Int, _ milliseconds: Int) -> String? {
    progress.note(.bytes(bytes), at: .milliseconds(milliseconds))
  }

  private mutating func open(_ sequence: UInt64, _ milliseconds: Int) -> String? {
    let digits = String(sequence)
    return progress.note(
      .segment("/log/" + String(repeating: "0", count: 20 - digits.count) + digits + ".log"),
      at: .milliseconds(milliseconds))
  }

  @Test mutating func shortWorkSaysNothing() {
    #expect(open(0, 0) == nil)
    for time in stride(from: 0, through: 1000, by: 50) { #expect(read(1 << 20, time) == nil) }
  }

  @Test mutating func saysPlaceSpeedAndTimeLeft() {
    _ = open(0, 0)
    #expect(read(100_000_000, 900) == nil)
    #expect(read(100_000_000, 1100) == "record 0, 181 MB/s")
    #expect(open(250, 1200) == nil)
    // A quarter in 1.6 s: three more of them.
    #expect(read(120_000_000, 1600) == "record 250, 200 MB/s, 0 min 4 s left")
    #expect(read(1, 1700) == nil)
    #expect(open(1000, 2000) == "record 1000, 160 MB/s")
  }

  @Test mutating func whoeverFollowsIsToldNothing() {
    _ = open(0, 0)
    for second in 1...20 { #expect(read(4096, 1500 * second) == nil) }
  }

  @Test mutating func backwardsHasNoEnd() {
    _ = open(900, 0)
    _ = read(1, 600)
    _ = open(100, 1100)
    #expect(read(50_000_000, 1400) == "record 100, 35 MB/s")
  }
}
