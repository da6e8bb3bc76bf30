package import Format

extension Review {
  /// The report, in the order in which it is read.
  ///
  /// - Parameter keys: what the daemon says of its keys; nil if it was not asked.
  package func sections(keys: [ListedKey]?) -> [ReviewSection] {
    [
      attentionSection(keys: keys), resultSection, useSection, daySection, refusalSection,
      exceptionSection, newSection, keySection(keys), quotaSection,
      hourSection, unusualSection,
      eventSection,
      gapSection, coverage.section,
    ]
  }

  /// The options of `kist audit show` for the period.
  var periodWords: [String] {
    ["--since", since.wholeSeconds] + (until.map { ["--until", $0.wholeSeconds] } ?? [])
  }

  private var resultSection: ReviewSection {
    return ReviewSection(
      "results", "Requests by outcome", ["Outcome", "Requests"],
      results.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map {
        name, figure in
        [.text(name), .figure(figure, "Requests that ended \(name)", ["--result", name])]
      },
      empty: "No request in this period.")
  }

  private var useSection: ReviewSection {
    let sorted = uses.sorted { ($1.value.count, $0.key.text) < ($0.value.count, $1.key.text) }
    var section = ReviewSection(
      "uses", "Who used which key", note: "Requests that named a key, refused ones among them.",
      ["Caller", "Key", "Operation", "Requests"],
      sorted.map { use, figure in
        [
          .text(use.caller.text), .text(use.key), .text(use.operation),
          .figure(figure, use.text, use.words),
        ]
      },
      empty: "No request named a key.")
    section.showsShares = true
    return section
  }

  private var daySection: ReviewSection {
    let sorted = days.sorted { $0.key < $1.key }
    var section = ReviewSection(
      "days", "Requests and refusals over time", note: "By the day, UTC.",
      ["Day", "Requests", "Refused"],
      sorted.map { day, load in
        [
          .text(day), .figure(load.requests, "Requests on \(day)", Self.day(day)),
          .figure(load.refusals, "Refusals on \(day)", Self.day(day)),
        ]
      }, empty: "No request in this period.")
    section.bars = sorted.map {
      BarChart.Bar(
        name: String($0.key.suffix(5)), count: $0.value.requests.count,
        refused: $0.value.refusals.count)
    }
    return section
  }

  private var refusalSection: ReviewSection {
    let sorted = refusals.sorted { ($1.value.count, $0.key.text) < ($0.value.count, $1.key.text) }
    var section = ReviewSection(
      "refusals", "Refusals and failed stages",
      note: "Why: the check that failed, or what policy lacked.",
      ["Operation", "Outcome", "Why", "Requests"],
      sorted.map { refusal, figure in
        [
          .text(refusal.operation), .text(refusal.result), .text(refusal.reason ?? ""),
          .figure(figure, refusal.text, refusal.words),
        ]
      },
      empty: "Nothing was refused.")
    section.showsShares = true
    return section
  }

  var exceptionSection: ReviewSection {
    ReviewSection(
      "exceptions", "Exceptions",
      note:
        "Unclean starts, torn tails, clock steps, unreadable or unknown requests, faults of the daemon.",
      ["What", "Records"],
      named(exceptions), empty: "None.")
  }

  private var newSection: ReviewSection {
    let callers = newCallers.sorted { $0.value.first < $1.value.first }.map { caller, figure in
      [
        .text(caller.text), .text("new caller"),
        .figure(figure, "New caller: \(caller.text)", caller.words),
      ] as [ReviewSection.Cell]
    }
    let firsts = firstUses.sorted { $0.value.first < $1.value.first }.map { use, figure in
      [
        .text(use.caller.text), .text("first \(use.operation) with \(use.key)"),
        .figure(figure, "First use: \(use.text)", use.words + ["--result", "ok"]),
      ]
        as [ReviewSection.Cell]
    }
    return ReviewSection(
      "new", "New callers and first uses",
      note: "What no record in the log before this period shows.",
      ["Caller", "What is new", "Requests"], callers + firsts,
      empty: "Nobody and nothing new.")
  }

  func keySection(_ keys: [ListedKey]?) -> ReviewSection {
    let near = (keys ?? []).filter { $0.daysLeft(at: end) != nil }.sorted {
      ($0.end, $0.label) < ($1.end, $1.label)
    }
    return ReviewSection(
      "keys", "Keys that end soon", note: "Within 30 days of the end of this period, or ended.",
      ["Key", "State", "Ends", "Days left", "Uses ever"],
      near.map { key in
        [
          .text(key.label), .text(key.state), .text(key.end), .number(key.daysLeft(at: end) ?? 0),
          .number(key.uses),
        ]
      },
      empty: keys == nil
        ? "Not known: the log does not say when keys end. Give --keys the output of kist key list --json."
        : "None.")
  }

  var quotaSection: ReviewSection {
    ReviewSection(
      "quotas", "Quotas nearly used up",
      note: "Four fifths of a grant's quota or more in its day or week, or requests beyond it.",
      ["Grant", "Whose", "From", "Quota", "Used", "Refused"], quotas?.rows ?? [],
      empty: quotas == nil
        ? "Not known: the log does not have the policy. Give --policy its directory." : "None.")
  }

  private var hourSection: ReviewSection {
    let rows = hours.indices.filter { hours[$0].count > 0 }.map { hour in
      [.text(Self.clock(hour)), .figure(hours[hour], "Requests at \(Self.clock(hour)) UTC", [])]
        as [ReviewSection.Cell]
    }
    var section = ReviewSection(
      "hours", "Requests by the hour of the day", note: "UTC.", ["Hour", "Requests"], rows,
      empty: "No request in this period.")
    if !rows.isEmpty {
      section.bars = hours.indices.map {
        BarChart.Bar(name: Self.clock($0), count: hours[$0].count, refused: 0)
      }
    }
    return section
  }

  var unusualSection: ReviewSection {
    var rows: [[ReviewSection.Cell]] = []
    for (caller, habit) in habits.sorted(by: { $0.key.text < $1.key.text }) {
      for (hour, figure) in habit.newHours.sorted(by: { $0.key < $1.key }) {
        rows.append([
          .text(caller.text), .text("asked at \(Self.clock(hour)) UTC, which it had never done"),
          .figure(figure, "\(caller.text) at \(Self.clock(hour)) UTC", caller.words),
        ])
      }
      guard let peak = habit.peak else { continue }
      let moment = peak.hour.wholeSeconds
      let words = caller.words + Self.times(peak.hour, peak.hour.adding(seconds: 3600))
      rows.append([
        .text(caller.text), .text("hour from \(moment): its usual hour has \(peak.usual)"),
        .figure(peak.figure, "\(caller.text) from \(moment)", words),
      ])
    }
    return ReviewSection(
      "unusual", "Unusual hours and rates",
      note:
        "An hour of the day that is new for the caller, or one with five times its usual requests and at least 20.",
      ["Caller", "What", "Requests"], rows, empty: "None.")
  }

  private var eventSection: ReviewSection {
    ReviewSection(
      "events", "Keys, policy and the daemon",
      note: "Starts and stops, unlocking, policy and configuration changes, keys' lives.",
      ["Event", "Records"],
      named(events),
      empty: "No event in this period.")
  }

  private var gapSection: ReviewSection {
    let rows = gaps.map { [.text($0.text)] as [ReviewSection.Cell] }
    return ReviewSection(
      "gaps", "Gaps", note: "Records that are missing, and when the daemon was stopped.", ["What"],
      rows, empty: "None.")
  }

  private func named(_ figures: [String: Figure]) -> [[ReviewSection.Cell]] {
    figures.sorted { $0.key < $1.key }.map { name, figure in
      [.text(name), .figure(figure, name, ["--op", String(name.prefix { $0 != ":" })])]
    }
  }

  private static func day(_ day: String) -> [String] {
    guard let start = Timestamp(day + "T00:00:00Z") else { return [] }
    return times(start, start.adding(seconds: 86_400))
  }

  private static func times(_ start: Timestamp, _ end: Timestamp) -> [String] {
    ["--since", start.wholeSeconds, "--until", end.wholeSeconds]
  }

  private static func clock(_ hour: Int) -> String { (hour < 10 ? "0" : "") + String(hour) + ":00" }
}

extension Review.Use {
  fileprivate var text: String { "\(caller.text): \(operation) with \(key)" }
  fileprivate var words: [String] { caller.words + ["--key", key, "--op", operation] }
}

extension Review.Refusal {
  fileprivate var text: String { "\(operation): \(result)" + (reason.map { " (\($0))" } ?? "") }
  fileprivate var words: [String] {
    ["--op", operation, "--result", result]
      + (result == "rejected" ? reason.map { ["--stage", $0] } ?? [] : [])
  }
}

extension Review.Gap {
  /// Whether it is more than an orderly stop.
  var isUnexplained: Bool {
    switch self {
    case .missing, .disorder: true
    case .down: false
    }
  }

  var text: String {
    switch self {
    case .disorder(let after, let sequence): "record \(sequence) comes after record \(after)"
    case .missing(let records):
      "records \(records.lowerBound) to \(records.upperBound - 1) are not there"
    case .down(let from, let to, let stop, let start):
      "stopped from \(from.wholeSeconds) (record \(stop)) to \(to.wholeSeconds) (record \(start)), \(to.seconds - from.seconds) s"
    }
  }
}

extension Review {
  /// What a person has to look into, the gravest first, each with the section that says more.
  func attentionSection(keys: [ListedKey]?) -> ReviewSection {
    let missing = gaps.filter(\.isUnexplained).map(\.text)
    let denied = results["denied"].map { ["policy denied \($0.count)"] } ?? []
    let callers = newCallers.sorted { $0.value.first < $1.value.first }.map {
      "\($0.key.text): \($0.value.count)"
    }
    let found: [(section: String, what: [String])] = [
      ("Gaps", missing), ("Exceptions", Self.lines(of: exceptionSection)), ("Refusals", denied),
      ("Unusual hours and rates", Self.lines(of: unusualSection)),
      ("New callers", callers),
      (
        "Keys that end soon",
        keySection(keys).rows.map { "\($0[0].text), \($0[1].text): ends \($0[2].text)" }
      ),
      (
        "Quotas",
        quotaSection.rows.map {
          "\($0[0].text), \($0[1].text): \($0[4].text) used of \($0[3].text)"
        }
      ),
    ]
    let rows = found.flatMap { section, what in
      what.map { [.text(section), .text($0)] as [ReviewSection.Cell] }
    }
    return ReviewSection(
      "attention", "Needs attention", note: "The named section has more of each.",
      ["Section", "What"], rows,
      empty:
        "No gap, exception, denied request, new caller or unusual hour; no key or quota near its end, as far as they are known."
    )
  }

  private static func lines(of section: ReviewSection) -> [String] {
    section.rows.map { $0.map(\.text).joined(separator: ": ") }
  }
}

extension ReviewSection {
  /// How many things a person has to look into, in words.
  static func attention(_ count: Int) -> String {
    switch count {
    case 0: "Nothing needs attention."
    case 1: "One thing needs attention."
    default: "\(count) things need attention."
    }
  }
}

extension Review {
  /// The report for programs: each section's rows as in the tables.
  package func json(_ finding: ReviewFinding, keys: [ListedKey]?, _ imprint: Imprint)
    -> CanonicalJSON
  {
    [
      "host": imprint.host, "log": imprint.log, "made": imprint.made.wholeSeconds,
      "records": records.count, "requests": requestCount, "since": since.wholeSeconds,
      "sections": CanonicalJSON.object(
        sections(keys: keys).map { .init($0.id, .array($0.rows.map { .array($0.map(\.json)) })) }),
      "verdict": finding.verdict, "verification": finding.text,
      "verifier_key": imprint.verifierKey,
      "version": imprint.version,
      "until": until?.wholeSeconds,
    ]
  }
}

extension ReviewSection.Cell {
  fileprivate var json: CanonicalJSON {
    isNumber ? Int64(text).map { .integer($0) } ?? .string(text) : .string(text)
  }
}
