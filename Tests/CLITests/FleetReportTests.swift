import Format
import Foundation
import TestSupport
import Testing

@testable import kist

/// What `kist fleet status` reads out of a daemon's answers, and what `kist fleet check` finds.
@Suite struct FleetReportTests {
  private static let digits = String(repeating: "ab", count: 32)

  private static func text(
    _ host: String, policy: String = digits, fleet: String = "AA", state: String = "active",
    other: String = "cc", otherState: String = "active"
  ) -> String {
    """
    {"claims_key":"fleet/a","duplicates":1,"host":"\(host)","keys":[{"check":"\(fleet)","label":"fleet/a","role":"fleet","state":"\(state)"},\
    {"check":"\(other)","label":"m/\(host)","role":"merchant-processing-ec","state":"\(otherState)"}],\
    "local":2,"policy":"\(policy)","refused":3,"store":true,"unanswered":4}
    """
  }

  private func report(_ text: String) throws -> FleetReport {
    let bytes = Array(text.utf8)
    return try FleetReport(try CanonicalJSON(parsing: bytes.span, byteLimit: 1 << 20))
  }

  private func differences(_ texts: String...) throws -> [String] {
    FleetReport.differences(of: try texts.map(report))
  }

  @Test("what is printed is what is read") func form() throws {
    let report = try report(Self.text("paris"))
    #expect(String(decoding: report.json.serialised, as: UTF8.self) == Self.text("paris"))
    #expect(
      report.text.contains("openings to be claimed") && report.text.contains("there")
        && report.text.contains("fleet/a"))
  }

  @Test("hosts that agree, whatever they call their keys") func same() throws {
    #expect(try differences(Self.text("paris"), Self.text("rome"), Self.text("athens")).isEmpty)
  }

  @Test("what hosts must not have alike, or otherwise, each told once") func different() throws {
    let paris = Self.text("paris")
    #expect(try differences(paris, paris) == ["two hosts are called paris"])
    #expect(
      try differences(paris, Self.text("rome", policy: String(repeating: "0", count: 64))) == [
        "rome: another policy than paris's"
      ])
    #expect(
      try differences(paris, Self.text("rome", fleet: "BB"))
        == [
          "rome: claims under fleet/a (BB), and paris under fleet/a (AA)",
          "rome: lacks paris's key fleet fleet/a (AA)",
          "paris: lacks rome's key fleet fleet/a (BB)",
        ])
    #expect(
      try differences(paris, Self.text("rome", state: "retired"))
        == [
          "rome: fleet/a, under which it claims, is no active key of role fleet, or none that you may list",
          "rome: key fleet fleet/a (AA) is retired, paris's active",
        ])
    #expect(
      try differences(paris, Self.text("rome", other: "dd", otherState: "destroyed")) == [
        "rome: lacks paris's key merchant-processing-ec m/paris (cc)"
      ])
  }

  @Test(
    "nothing else is a report",
    arguments: [
      "{}", "[]", #"{"host":"paris"}"#, text("paris").replacingOccurrences(of: "true", with: "1"),
    ])
  func refused(_ text: String) { #expect(throws: CanonicalJSONError.self) { try report(text) } }

  @Test("a daemon's figures, and none of one that is in no fleet") func metrics() throws {
    var status = StatusReport()
    status.policyHash = [UInt8](repeating: 0xAB, count: 32)
    var metrics = MetricsReply()
    metrics.add(.fleetInfo, 1, ["paris", "fleet/a"])
    for (metric, value) in [
      (Metric.claimsAway, 1), (.claimsRefused, 3), (.claimsUnanswered, 4), (.localOpenings, 2),
      (.duplicateOpenings, 1),
    ] {
      metrics.add(metric, value)
    }
    let report = try #require(FleetReport(status, metrics, []))
    #expect(
      report.host == "paris" && report.claimsKey == "fleet/a" && report.policy == Self.digits
        && !report.isStoreThere && report.text.contains("AWAY"))
    #expect(FleetReport.Count.allCases.map { report.counts[$0] } == [3, 4, 1, 2])
    #expect(FleetReport(status, MetricsReply(), []) == nil)
    for figures in [[0], [1]] {
      var incomplete = MetricsReply()
      incomplete.figures = figures.map { metrics.figures[$0] }
      #expect(FleetReport(status, incomplete, []) == nil)
    }
    metrics.figures[0].labels = ["paris"]
    #expect(FleetReport(status, metrics, []) == nil)
  }

  @Test("why a daemon says nothing of a fleet") func absence() {
    func text(_ state: String) -> String {
      var status = StatusReport()
      status.state = state
      return FleetReport.absence(of: status)
    }
    #expect(text("serving") == "this host is in no fleet: see [fleet] in kist.toml(5)")
    for state in ["locked", "audit-unavailable", "failed"] {
      #expect(text(state).hasPrefix("this host is \(state), and says"))
    }
  }

  private func claimdReport(_ text: String) throws -> ClaimdReport {
    let bytes = Array(text.utf8)
    return try ClaimdReport(try CanonicalJSON(parsing: bytes.span, byteLimit: 1 << 16))
  }

  /// As kist-claimd writes it.
  private static func claimd(_ store: String = #""there""#, reason: String = "") -> String {
    """
    {"asks_away":0,"asks_refused":0,"claims":7,"claims_of_others":2,"clock_difference_ms":-12,"host":"paris",\
    "hosts":[{"host":"paris","last_write":"2026-11-23T17:29:35.000000Z"},{"host":"rome","last_write":"2026-11-23T17:29:31.000000Z"}],\
    "kistd":true,\(reason)"round_trip_us":526,"since":"2026-11-23T17:00:00.000000Z","store":\(store),"written":"2026-11-23T17:29:36.000000Z"}
    """
  }

  @Test("what kist-claimd has seen: hosts, round trip, clocks, and why the store is away")
  func storeSide() throws {
    let there = try claimdReport(Self.claimd()).text
    #expect(
      there.contains("526 us") && there.contains("12 ms behind") && there.contains("rome")
        && !there.contains("away"))
    let away = try claimdReport(Self.claimd(#""away""#, reason: #""reason":"no answer in time","#))
      .text
    #expect(away.contains("away because") && away.contains("no answer in time"))
    let refusing = try claimdReport(Self.claimd(reason: #""refusal":"another key","#)).text
    #expect(
      refusing.contains("claims are refused") && refusing.contains("another key")
        && !there.contains("refused"))
  }

  @Test(
    "what is no status file is refused",
    arguments: [
      "{}", #"{"hosts":[],"store":"there"}"#,
      #"{"hosts":[{"host":"a"}],"store":"there","written":"x"}"#,
    ])
  func noStatusFile(_ text: String) {
    #expect(throws: CanonicalJSONError.schema) { _ = try claimdReport(text) }
  }
}
