import Format
import Foundation
import TestSupport
import Testing

@testable import Doctor

/// What becomes of the daemon's figures.
@Suite struct CountedMetricsTests {
  private typealias Row = (Metric, UInt64, [String], UInt64)

  private static func metrics(_ figures: [Row]) -> Metrics {
    var reply = MetricsReply()
    for (metric, value, labels, bound) in figures { reply.add(metric, value, labels, bound: bound) }
    var metrics = Metrics()
    metrics.add(reply)
    return metrics
  }

  /// A figure of each metric, with as many labels as it has.
  private static var everything: Metrics {
    metrics(
      Metric.allCases.flatMap { metric -> [Row] in
        let labels = MetricName(metric).labels.map { "some \($0)" }
        let isHistogram = [
          .answerTimes, .queueTimes, .computeTimes, .commitTimes, .claimTimes, .batchRequests,
          .commitRecords,
        ].contains(metric)
        return [(metric, 3, labels, 0)]
          + (isHistogram ? [(metric, 2, labels, 1_000_000), (metric, 1, labels, .max)] : [])
      })
  }

  @Test("docs/METRICS.md has every metric, in this order, and no other") func page() throws {
    let pages = try String(
      contentsOf: Repository.root.appending(path: "docs/METRICS.md"), encoding: .utf8
    ).components(separatedBy: "\n## ")
    func named(_ heading: String) throws -> [String] {
      let page = try #require(pages.first { $0.hasPrefix(heading + "\n") })
      return page.split(separator: "\n").compactMap {
        $0.firstMatch(of: /^\| `(kist_[a-z_]+)`/).map { String($0.output.1) }
      }
    }
    let fleet = try named("What a host in a fleet has counted")
    let all = Metric.allCases.map { MetricName($0).name }
    #expect(try named("What has been counted") == all.filter { !fleet.contains($0) })
    #expect(fleet == all.filter(fleet.contains) && fleet.count == 7)
  }

  @Test("the page names every label, and no other") func labels() throws {
    let page = try String(
      contentsOf: Repository.root.appending(path: "docs/METRICS.md"), encoding: .utf8)
    for metric in Metric.allCases {
      let name = MetricName(metric)
      let row = try #require(
        page.split(separator: "\n").first { $0.hasPrefix("| `\(name.name)` |") })
      let cell = row.split(separator: "|")[1]
      #expect(
        cell.matches(of: /`([a-z]+)`/).map { String($0.output.1) } == name.labels, "\(name.name)")
    }
  }

  @Test("times are seconds, and a bucket has all that is below its bound") func histogram() throws {
    let metrics = Self.metrics([
      (.answerTimes, 0, ["mac"], 10_000), (.answerTimes, 3, ["mac"], 250_000),
      (.answerTimes, 1, ["mac"], .max), (.answerTimes, 6_000_000_250, ["mac"], 0),
      (.processorTime, 1_500_000_000, [], 0), (.batchRequests, 2, [], 1),
      (.batchRequests, 0, [], .max), (.batchRequests, 2, [], 0),
      (.signingCertificateEnd, 1_830_297_600, ["0A"], 0),
    ])
    #expect(
      try Exposition(metrics.text).samples == [
        "kist_answer_seconds_bucket{operation=mac,le=0.00001}": "0",
        "kist_answer_seconds_bucket{operation=mac,le=0.00025}": "3",
        "kist_answer_seconds_bucket{operation=mac,le=+Inf}": "4",
        "kist_answer_seconds_sum{operation=mac}": "6.00000025",
        "kist_answer_seconds_count{operation=mac}": "4", "kist_cpu_seconds_total": "1.5",
        "kist_batch_requests_bucket{le=1}": "2",
        "kist_batch_requests_bucket{le=+Inf}": "2", "kist_batch_requests_sum": "2",
        "kist_batch_requests_count": "2",
        "kist_signing_certificate_end_timestamp_seconds{serial=0A}": "1830297600",
      ])
  }

  @Test("the work on requests is told by class, of all their operations together") func classes()
    throws
  {
    let operations = [
      ("open-payment-token", "tokens"), ("verify-payment-token", "tokens"),
      ("provision-pass", "passes"), ("sign-otp", "codes"), ("kdf", "primitives"),
      ("tokenise", "cards"), ("metrics", "operators"), ("random", "general"),
      ("unknown", "general"),
    ]
    let metrics = Self.metrics(
      operations.flatMap {
        [
          (.computeTimes, 1, [$0.0], 10_000), (.computeTimes, 0, [$0.0], .max),
          (.computeTimes, 9_000, [$0.0], 0),
        ]
      })
    let found = try Exposition(metrics.text)
    for (name, count) in [
      ("tokens", 2), ("passes", 1), ("codes", 1), ("primitives", 1), ("cards", 1), ("operators", 1),
      ("general", 2),
    ] as [(String, UInt64)] {
      #expect(try found.count("kist_compute_seconds_count{class=\(name)}") == count, "\(name)")
      #expect(
        found["kist_compute_seconds_sum{class=\(name)}"] == "0.0000\(count == 2 ? "18" : "09")")
    }
    #expect(found.samples.count == 7 * 4)
  }

  @Test("JSON has the same numbers as the text, under the same names") func json() throws {
    let bytes = Self.everything.json.serialised
    guard case .array(let families) = try CanonicalJSON(parsing: bytes.span, byteLimit: 1 << 20)
    else { throw Unreadable() }
    var samples: [String: String] = [:]
    for family in families {
      let name = try text(family, "name")
      #expect(
        try !text(family, "help").isEmpty
          && ["counter", "gauge", "histogram"].contains(text(family, "type")))
      for sample in try elements(family, "samples") {
        let labels = try members(sample, "labels")
        func add(_ suffix: String, _ value: String, _ bound: String? = nil) {
          let all = labels + (bound.map { ["le=\($0)"] } ?? [])
          samples[name + suffix + (all.isEmpty ? "" : "{\(all.joined(separator: ","))}")] = value
        }
        guard try text(family, "type") == "histogram" else {
          add("", try text(sample, "value"))
          continue
        }
        for bucket in try elements(sample, "buckets") {
          add("_bucket", try text(bucket, "count"), try text(bucket, "le"))
        }
        add("_sum", try text(sample, "sum"))
        add("_count", try text(sample, "count"))
      }
    }
    // Labels come by their names in JSON.
    let expected = try Exposition(Self.everything.text).samples.map {
      (Self.sorted($0.key), $0.value)
    }
    #expect(
      samples.reduce(into: [:]) { $0[Self.sorted($1.key)] = $1.value }
        == Dictionary(uniqueKeysWithValues: expected))
  }

  private struct Unreadable: Error {}

  private static func sorted(_ sample: String) -> String {
    sample.split { "{,}".contains($0) }.sorted().joined(separator: ",")
  }

  private func member(_ json: CanonicalJSON, _ name: String) throws -> CanonicalJSON {
    guard case .object(let members) = json, let found = members.first(where: { $0.name == name })
    else { throw Unreadable() }
    return found.value
  }

  private func text(_ json: CanonicalJSON, _ name: String) throws -> String {
    guard case .string(let text) = try member(json, name) else { throw Unreadable() }
    return text
  }

  private func elements(_ json: CanonicalJSON, _ name: String) throws -> [CanonicalJSON] {
    guard case .array(let elements) = try member(json, name) else { throw Unreadable() }
    return elements
  }

  private func members(_ json: CanonicalJSON, _ name: String) throws -> [String] {
    guard case .object(let members) = try member(json, name) else { throw Unreadable() }
    return try members.map { member in
      guard case .string(let value) = member.value else { throw Unreadable() }
      return "\(member.name)=\(value)"
    }
  }
}
