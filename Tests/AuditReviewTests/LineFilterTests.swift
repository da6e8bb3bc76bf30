import Audit
import Format
import Policy
import Review
import Testing

/// A line is passed over unread only where reading it would have passed over it, too.
@Suite struct LineFilterTests {
  private static let digest = "hmac-sha256:" + String(repeating: "ab", count: 32)

  private static let lines = [
    TestLines.line(0), TestLines.line(1, second: 10, uid: 100),
    TestLines.line(2, second: 20, unit: "a\"b\\.service"),
    TestLines.line(3, second: 30, op: "sign-otp", key: 2),
    TestLines.line(4, second: 40, grant: nil, result: "denied"),
    TestLines.line(5, second: 50, result: "rejected", stage: "signature"),
    TestLines.line(6, second: 60, label: "merchant/other/a"),
    TestLines.line(7, second: 70, digest: digest),
    TestLines.event(8, second: 80, "key-store-locked"),
    TestLines.event(9, second: 90, "clock-step", [.init("by", .string("shop"))]),
    TestLines.line(10, second: 5, label: "merchant/acme/b"),
    // The values of others' members, where no filter should take them for its own.
    TestLines.line(11, second: 110, unit: "\"uid\":1003", grant: "\"stage\":\"signature\""),
    TestLines.line(12, second: 120, uid: 100, label: "merchant/other/a", name: "alice"),
    TestLines.line(
      13, second: 130, uid: 400_005, label: "merchant/other/a", name: "al\"ice", owner: 100,
      ownerName: "alice"),
    TestLines.line(
      14, second: 140, unit: "\"name\":\"alice\"", label: "merchant/other/a", name: "alice2"),
  ]

  private static func filter(_ change: (inout RecordFilter) -> Void) -> RecordFilter {
    var filter = RecordFilter()
    change(&filter)
    return filter
  }

  private static let cases: [(RecordFilter, [UInt64])] = [
    (RecordFilter(), Array(0...14)),
    (filter { $0.since = Timestamp(seconds: 1_800_000_060) }, [6, 7, 8, 9, 11, 12, 13, 14]),
    (filter { $0.until = Timestamp(seconds: 1_800_000_010) }, [0, 10]),
    (
      filter {
        ($0.since, $0.until) = (
          Timestamp(seconds: 1_800_000_005), Timestamp(seconds: 1_800_000_011)
        )
      }, [1, 10]
    ),
    (filter { $0.user = .number(100) }, [1, 12, 13]),
    (filter { $0.user = .number(400_005) }, [13]),
    (filter { $0.user = .name("alice") }, [12, 13]),
    (filter { $0.user = .name("al\"ice") }, [13]),
    (filter { $0.user = .name("root") }, []),
    (filter { $0.user = .number(1003) }, []),
    (filter { $0.unit = "a\"b\\.service" }, [2]),
    (filter { $0.unit = "shop" }, []),
    (filter { $0.operation = "sign-otp" }, [3]),
    (filter { $0.operation = "clock-step" }, [9]),
    (filter { $0.operation = "sign" }, []),
    (
      filter { $0.key = KeyPattern("merchant/acme/*").map { .label($0) } },
      [0, 1, 2, 3, 4, 5, 7, 10, 11]
    ),
    (filter { $0.key = KeyPattern("merchant/acme/b").map { .label($0) } }, [10]),
    (filter { $0.key = KeyPattern("merchant/acme").map { .label($0) } }, []),
    (filter { $0.key = .id(KeyID(high: 0, low: 2)) }, [3]),
    (filter { $0.grant = "shop" }, [0, 1, 2, 3, 5, 6, 7, 10, 12, 13, 14]),
    (filter { $0.result = "denied" }, [4]),
    (filter { $0.stage = "signature" }, [5]),
    (filter { $0.digest = KeyedDigest(digest) }, [7]),
    (filter { $0.request = RequestName("000000000000000c") }, [12]),
    (filter { $0.request = RequestName("000000000000000C") }, [12]),
    (filter { $0.request = RequestName("00000000000000ff") }, []),
    (filter { $0.request = RequestName("12") }, []),
    (filter { ($0.user, $0.result) = (.number(1000), "rejected") }, [5]),
    (filter { ($0.user, $0.result) = (.number(100), "rejected") }, []),
  ]

  @Test(arguments: 0..<cases.count) func finds(_ number: Int) throws {
    let (filter, expected) = Self.cases[number]
    let quick = LineFilter(filter)
    var found: [UInt64] = []
    for line in Self.lines {
      let bytes = Array(line.utf8)
      let record = try Record(parsing: bytes.span)
      let quickly = try quick.record(in: bytes.span)
      #expect((quickly != nil) == filter.covers(record))
      if let quickly { found.append(quickly.sequence) }
    }
    #expect(found == expected)
  }

  /// The Python client's tests have the same numbers.
  @Test(
    arguments: [
      ("feed000000000001", 0xFEED_0000_0000_0001), ("FEED000000000001", 0xFEED_0000_0000_0001),
      ("order-17", 0x72A9_0EA3_DA8B_5DD0),
      ("", 0xE3B0_C442_98FC_1C14),
      ("0000000000000000", 0xFCDB_4B42_3F4E_5283),
    ] as [(String, UInt64)])
  func requestNames(_ text: String, _ number: UInt64) {
    #expect(RequestName(text).number == number)
  }

  /// A later version may put members behind the time.
  @Test func aTimeElsewhere() throws {
    let line = String(TestLines.line(0, second: 60).dropLast()) + ",\"zone\":\"x\"}"
    let bytes = Array(line.utf8)
    #expect(
      try LineFilter(Self.filter { $0.since = Timestamp(seconds: 1_800_000_000) }).record(
        in: bytes.span) != nil)
    #expect(
      try LineFilter(Self.filter { $0.since = Timestamp(seconds: 1_800_000_061) }).record(
        in: bytes.span) == nil)
  }

  @Test(arguments: ["{}", "{\"seq\":1}", "{\"a\":", "{ }"]) func noRecord(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(throws: CanonicalJSONError.self) {
      try LineFilter(RecordFilter()).record(in: bytes.span)
    }
  }

  @Test func rowsForSpreadsheets() throws {
    let bytes = Array(TestLines.line(7, unit: "=HYPERLINK(\"x\"),y", name: "=alice").utf8)
    let row = RecordCSV.row(try Record(parsing: bytes.span))
    #expect(
      row.hasPrefix(
        "7,2027-01-15T08:00:00.000000Z,open-payment-token,ok,,1000,'=alice,0,\"'=HYPERLINK(\"\"x\"\"),y\","
      ))
    #expect(row.hasSuffix("\r\n"))
    #expect(RecordCSV.heading.split(separator: ",").count == 19)
  }
}
