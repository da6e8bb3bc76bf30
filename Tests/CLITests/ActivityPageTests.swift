import Testing

@testable import Format
@testable import kist

@Suite struct ActivityPageTests {
  private var report = StatusReport()
  private var (before, now) = (MetricsReply(), MetricsReply())

  init() {
    report.productVersion = "1.2.3"
    report.state = "serving"
    report.auditCondition = "ample"
    report.arenaUsed = 4 << 20
    report.arenaCapacity = 16 << 20
    report.connections = 3
  }

  private func page(_ seconds: Double = 2) -> String {
    ActivityPage(report, from: before, to: now, seconds: seconds).text
  }

  @Test func nothingHappens() {
    #expect(
      page() == """
        kistd          1.2.3, serving, the log's disk ample
        secret memory  25 % of 16 MiB
        processor      0 %, 0 batches in flight, 3 connections

        no requests

        """)
  }

  @Test mutating func countsWhatWasAddedForEachSecond() {
    before.add(.requests, 100, ["open-payment-token", "ok"])
    now.add(.requests, 300, ["open-payment-token", "ok"])
    now.add(.requests, 3, ["open-payment-token", "rejected"])
    before.add(.requests, 7, ["who", "ok"])
    now.add(.requests, 7, ["who", "ok"])
    for (bound, earlier, later) in [(100_000, 50, 50), (250_000, 50, 250), (1_000_000, 0, 3)]
      as [(UInt64, Int, Int)]
    {
      before.add(.answerTimes, earlier, ["open-payment-token"], bound: bound)
      now.add(.answerTimes, later, ["open-payment-token"], bound: bound)
    }
    before.add(.processorTime, 1_000_000_000)
    now.add(.processorTime, 2_000_000_000)
    now.add(.denials, 4, ["shop", "rate"])
    now.add(.busy, 1, ["rate"])
    before.add(.userConnections, 9, ["1000"])
    now.add(.userConnections, 2, ["1000"])
    now.add(.batchesInFlight, 5)
    #expect(
      page() == """
        kistd          1.2.3, serving, the log's disk ample
        secret memory  25 % of 16 MiB
        processor      50 %, 5 batches in flight, 3 connections

        OPERATION           EACH SECOND  NOT OK  P50 µs  P99 µs
        open-payment-token  101.5        1.5     ≤ 250   ≤ 1000

        denied: shop rate 2.0

        busy: rate 0.5

        connections by uid: 1000 2

        """)
  }

  @Test mutating func aRestartCountsFromZero() {
    before.add(.requests, 1000, ["random", "ok"])
    now.add(.requests, 10, ["random", "ok"])
    now.add(.answerTimes, 10, ["random"], bound: .max)
    #expect(page(1).contains("random     10.0         0.0     more    more\n"))
  }

  @Test mutating func textsOfOthersDoNotBreakThePage() {
    now.add(.denials, 1, ["a\u{1B}[2J\n", "rate"])
    #expect(!page().contains("\u{1B}"))
  }
}
