import Audit
import Format
import Policy
import Review
import Testing

/// What is counted, what is new, and what a page may hold.
@Suite struct ReviewTests {
  /// Seconds are behind 2027-01-15T08:00:00Z, where the period begins.
  private static func review(_ lines: [String], until: Timestamp? = nil, quotas: QuotaUse? = nil)
    throws -> Review
  {
    var review = Review(since: Timestamp(seconds: 1_800_000_000), until: until, quotas: quotas)
    for line in lines {
      let bytes = Array(line.utf8)
      review.add(try Record(parsing: bytes.span))
    }
    return review
  }

  private static func rows(_ review: Review, _ id: String) -> [[String]] {
    review.sections(keys: nil).first { $0.id == id }.map { $0.rows.map { $0.map(\.text) } } ?? []
  }

  @Test func countsTheInsideOfThePeriodOnly() throws {
    let lines = [
      TestLines.line(0, second: -1), TestLines.line(1, second: 0),
      TestLines.line(2, second: 5, grant: nil, result: "denied"),
      TestLines.line(3, second: 9, result: "rejected", stage: "signature"),
      TestLines.line(4, second: 10),
    ]
    let review = try Self.review(lines, until: Timestamp(seconds: 1_800_000_010))
    #expect(
      (review.records.count, review.requestCount, review.records.first, review.records.last) == (
        3, 3, 1, 3
      ))
    #expect(Self.rows(review, "results") == [["denied", "1"], ["ok", "1"], ["rejected", "1"]])
    #expect(Self.rows(review, "days") == [["2027-01-15", "3", "2"]])
    #expect(
      Self.rows(review, "refusals") == [
        ["open-payment-token", "denied", "no-grant", "1"],
        ["open-payment-token", "rejected", "signature", "1"],
      ])
    #expect(
      Self.rows(review, "uses") == [
        ["uid 1000, shop.service", "merchant/acme/a", "open-payment-token", "3"]
      ])
  }

  @Test func newIsWhatNoEarlierRecordShows() throws {
    let review = try Self.review([
      TestLines.line(0, second: -9),
      TestLines.line(1, second: -8, label: "merchant/acme/b", result: "rejected", stage: "tag"),
      TestLines.line(2, second: 1),
      TestLines.line(3, second: 2, label: "merchant/acme/b"),
      TestLines.line(4, second: 3, uid: 7, grant: nil, result: "denied"),
    ])
    #expect(
      Self.rows(review, "new") == [
        ["uid 7, shop.service", "new caller", "1"],
        ["uid 1000, shop.service", "first open-payment-token with merchant/acme/b", "1"],
      ])
  }

  @Test func exceptionsEventsAndGaps() throws {
    let review = try Self.review([
      TestLines.event(0, second: 1, "segment"), TestLines.event(1, second: 2, "stop"),
      TestLines.event(2, second: 62, "start"),
      TestLines.event(3, second: 63, "clock-step"),
      TestLines.line(7, second: 64, result: "internal"),
      TestLines.event(8, second: 65, "unclean-start"),
    ])
    #expect(
      Self.rows(review, "events") == [
        ["clock-step", "1"], ["start", "1"], ["stop", "1"], ["unclean-start", "1"],
      ])
    #expect(
      Self.rows(review, "exceptions") == [
        ["clock-step", "1"], ["open-payment-token: internal", "1"], ["unclean-start", "1"],
      ])
    #expect(
      Self.rows(review, "gaps") == [
        ["stopped from 2027-01-15T08:00:02Z (record 1) to 2027-01-15T08:01:02Z (record 2), 60 s"],
        ["records 4 to 6 are not there"],
      ])
  }

  @Test("a log whose oldest segments were taken away says so, where its period reaches them")
  func removedRecords() throws {
    #expect(
      Self.rows(
        try Self.review([TestLines.line(40, second: 1), TestLines.line(41, second: 2)]), "gaps")
        == [["records 0 to 39 are not there"]])
    #expect(
      Self.rows(
        try Self.review([TestLines.line(40, second: -1), TestLines.line(41, second: 2)]), "gaps"
      ).isEmpty)
  }

  @Test("what needs attention comes first, and an orderly stop or a rejected token is none of it")
  func attention() throws {
    let quiet = [
      TestLines.line(0, second: -86_400), TestLines.line(1, second: 1),
      TestLines.line(2, second: 2, result: "rejected", stage: "replay"),
    ]
    let review = try Self.review(
      quiet + [TestLines.event(3, second: 3, "stop"), TestLines.event(4, second: 9, "start")])
    #expect(
      review.sections(keys: []).first?.id == "attention" && Self.rows(review, "attention").isEmpty)
    let page = ReviewPage.html(review, .unverified, keys: nil, .at("/log"))
    #expect(page.contains("<p>Nothing needs attention.</p>"))
    let busy = try Self.review(
      quiet + [
        TestLines.event(5, second: 3, "unclean-start"), TestLines.line(6, second: 4, uid: 7),
        TestLines.line(7, second: 5, grant: nil, result: "denied"),
      ])
    #expect(
      Self.rows(busy, "attention") == [
        ["Gaps", "records 3 to 4 are not there"], ["Exceptions", "unclean-start: 1"],
        ["Refusals", "policy denied 1"],
        ["New callers", "uid 7, shop.service: 1"],
      ])
    let keys = try #require(
      ListedKey.list(
        .object([.init("keys", .array([Self.key("a", "2027-01-20T08:00:00Z", uses: 3)]))])))
    let ends = try #require(review.sections(keys: keys).first?.rows)
    #expect(
      ends.map { $0.map(\.text) } == [
        ["Keys that end soon", "a, active: ends 2027-01-20T08:00:00Z"]
      ])
    let text = ReviewPage.html(busy, .unverified, keys: nil, .at("/log"))
    let first = try #require(text.firstRange(of: "4 things need attention."))
    let second = try #require(text.firstRange(of: "Requests by outcome"))
    #expect(first.lowerBound < second.lowerBound)
  }

  /// A log that nobody verified may say anything.
  @Test func recordsOutOfOrder() throws {
    let review = try Self.review([
      TestLines.line(5), TestLines.line(0), TestLines.line(0), TestLines.line(1),
    ])
    #expect(
      Self.rows(review, "gaps") == [
        ["records 0 to 4 are not there"], ["record 0 comes after record 5"],
        ["record 0 comes after record 0"],
      ])
  }

  /// 2027-01-15 is a Friday; the period begins at its eighth hour, and the day counts whole.
  @Test func quotasThatAreNearlyUsedUp() throws {
    let rule = try Rule(
      id: "shop", callers: CallerRule(users: [Principal(id: 1000)]),
      operations: [.openPaymentToken],
      keys: [try #require(KeyPattern("merchant/*"))], released: ReleasedFields([.last4]),
      quota: Quota("5/d"), keyQuota: Quota("10/w"))
    func rows(_ lines: [String]) throws -> [[String]] {
      Self.rows(try Self.review(lines, quotas: QuotaUse(["shop": rule])), "quotas")
    }
    func asked(_ count: Int, from second: Int, uid: Int = 1000, grant: String = "shop") -> [String]
    {
      (0..<count).map { TestLines.line($0, second: second + $0, uid: uid, grant: grant) }
    }
    #expect(try rows(asked(3, from: 0)).isEmpty, "three of five")
    #expect(try rows(asked(4, from: 0)) == [["shop", "uid 1000", "2027-01-15", "5/d", "4", "0"]])
    #expect(
      try rows(asked(2, from: -7 * 3600) + asked(2, from: 0)) == [
        ["shop", "uid 1000", "2027-01-15", "5/d", "4", "0"]
      ], "before the period, on its day")
    #expect(try rows(asked(2, from: -9 * 3600) + asked(3, from: 0)).isEmpty, "the day before")
    #expect(try rows(asked(3, from: 0) + asked(3, from: 86_400)).isEmpty)
    #expect(try rows(asked(9, from: 0, grant: "other")).isEmpty, "of another grant")
    let two = try rows(asked(4, from: 0) + asked(4, from: 10, uid: 1001))
    #expect(
      two.map { $0[1] } == ["merchant/acme/a", "uid 1000", "uid 1001"]
        && two[0] == ["shop", "merchant/acme/a", "2027-01-11", "10/w", "8", "0"])
    let refused = TestLines.line(0, second: 5, grant: nil, result: "denied").replacing(
      #""denial":"no-grant""#, with: #""denial":"quota","grant":"shop""#)
    #expect(try rows([refused]).map { $0[5] } == ["1", "1"])
    #expect(try rows([refused.replacing("quota", with: "rate")]).isEmpty)
    let unknown = try Self.review(asked(5, from: 0)).sections(keys: nil).first { $0.id == "quotas" }
    #expect(unknown?.rows.isEmpty == true && unknown?.empty.hasPrefix("Not known") == true)
  }

  @Test func unusualHoursAndRates() throws {
    let before = [TestLines.line(0, second: -86_400)]
    let quiet = (1...4).map { TestLines.line($0, second: $0 * 86_400) }
    #expect(Self.rows(try Self.review(before + quiet), "unusual").isEmpty)
    let night = [TestLines.line(5, second: 6 * 86_400 - 7 * 3600)]
    let busy = (6..<26).map { TestLines.line($0, second: 6 * 86_400) }
    #expect(
      Self.rows(try Self.review(before + quiet + night + busy), "unusual") == [
        ["uid 1000, shop.service", "asked at 01:00 UTC, which it had never done", "1"],
        ["uid 1000, shop.service", "hour from 2027-01-21T08:00:00Z: its usual hour has 1", "20"],
      ])
    #expect(Self.rows(try Self.review(before + quiet + busy.dropLast()), "unusual").isEmpty)
  }

  private static func key(_ label: String, _ end: String?, uses: Int64) -> CanonicalJSON {
    let known: [CanonicalJSON.Member] = [
      .init("label", .string(label)), .init("state", .string("active")),
      .init("uses", .integer(uses)),
    ]
    return .object(known + (end.map { [.init("not_after", .string($0))] } ?? []))
  }

  @Test func keysThatEnd() throws {
    let list = [
      Self.key("a", "2027-01-20T08:00:00Z", uses: 3),
      Self.key("b", "2027-03-01T08:00:00Z", uses: 0), Self.key("c", nil, uses: 1),
      Self.key("d", "2027-01-14T08:00:00Z", uses: 0),
    ]
    let keys = try #require(ListedKey.list(.object([.init("keys", .array(list))])))
    // From the time of the last record.
    let section = try #require(
      try Self.review([TestLines.line(0, second: 0)]).sections(keys: keys).first { $0.id == "keys" }
    )
    #expect(
      section.rows.map { $0.map(\.text) } == [
        ["d", "active", "2027-01-14T08:00:00Z", "-1", "0"],
        ["a", "active", "2027-01-20T08:00:00Z", "5", "3"],
      ])
    let later = try #require(
      try Self.review([TestLines.line(0, second: 40 * 86_400)]).sections(keys: keys).first {
        $0.id == "keys"
      })
    #expect(later.rows.map { $0[3].text } == ["-41", "-35", "5"])
    #expect(ListedKey.list(.object([])) == nil)
    #expect(ListedKey.list(.object([.init("keys", .array([.string("a")]))])) == nil)
  }

  /// A unit is the caller's to name: nothing of it becomes mark-up, and nothing leaves the word
  /// that a shell takes it for.
  @Test(arguments: [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'; rm -rf ~; '",
    "</pre></style><b>", "a\u{202E}b", "&lt;", "]]><svg onload=x>",
    "$(id)`id`",
  ]) func aHostileName(_ name: String) throws {
    let review = try Self.review([
      TestLines.line(1, second: 1, unit: name, label: name, grant: name),
      TestLines.line(2, second: 2, unit: name, op: name, label: name, result: name, stage: name),
    ])
    let page = ReviewPage.html(review, .bad(name), keys: nil, .at(name))
    let plain = try Self.review([
      TestLines.line(1, second: 1),
      TestLines.line(2, second: 2, op: "x", result: "rejected", stage: "x"),
    ])
    let tags = { (page: String) in
      page.matches(of: /<[^>]*>/).map { $0.output.prefix { $0 != " " && $0 != ">" } }
    }
    #expect(tags(page) == tags(ReviewPage.html(plain, .bad("x"), keys: nil, .at("x"))))
    #expect(!page.contains("\u{202E}"))
    #expect(!page.contains("onerror=alert(1)>") && !page.contains("<script"))
  }

  @Test func aPageStandsAlone() throws {
    let page = ReviewPage.html(
      try Self.review([TestLines.line(1, second: 1)]), .unverified, keys: nil,
      .at("/var/log/kist/audit"))
    #expect(page.contains("<html lang=\"en\">") && page.contains("Not verified: "))
    #expect(page.contains(">Made at 2027-01-16T08:00:00Z on pay1 by kist 1.2.3.</p>"))
    for outside in ["http:", "https:", "src=", "url(", "@import", "<script", "<link"] {
      #expect(!page.contains(outside))
    }
    let anchors = Set(page.matches(of: /\bid="([^"]+)"/).map { $0.output.1 })
    for link in page.matches(of: /href="#([^"]+)"/) { #expect(anchors.contains(link.output.1)) }
    #expect(page.matches(of: /<table>/).count == page.matches(of: /<caption>/).count)
    #expect(
      page.matches(of: #/<svg [^>]*role="img"/#).count == page.matches(of: /<title id=/).count)
  }

  @Test func anEmptyPeriod() throws {
    let page = ReviewPage.html(try Self.review([]), .unverified, keys: nil, .at("/log"))
    #expect(
      !page.contains("<table>") && page.contains("No request in this period.")
        && page.contains("Nothing was refused."))
  }
}

extension Imprint {
  fileprivate static func at(_ log: String) -> Imprint {
    Imprint(
      log: log, verifierKey: nil, made: Timestamp(seconds: 1_800_086_400), host: "pay1",
      version: "1.2.3")
  }
}
