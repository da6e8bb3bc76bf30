import Configuration
import Format
import Foundation
import Host
import KistClient
import TestSupport
import Testing

@testable import kist

/// What `kist status --metrics` prints, read as strictly as Prometheus' text format 0.0.4 is
/// specified.
@Suite struct StatusMetricsTests {
  @Test func aServingDaemon() throws {
    let metrics = try Exposition(StatusMetrics(Self.serving, Self.taken, nil, [Self.key]).text)
    #expect(
      metrics["kist_up"] == "1" && metrics["kist_serving"] == "1" && metrics["kist_ready"] == "1")
    #expect(
      metrics["kist_state{state=serving}"] == "1" && metrics["kist_state{state=locked}"] == "0")
    #expect(
      metrics["kist_audit_condition{condition=ample}"] == "1"
        && metrics["kist_audit_condition{condition=full}"] == "0")
    #expect(
      metrics["kist_audit_records"] == "1099511627776"
        && metrics["kist_audit_free_bytes"] == "18446744073709551615")
    #expect(
      metrics["kist_next_key_end_timestamp_seconds"] == "1830297600"
        && metrics["kist_unmatched_grants"] == "2")
    #expect(
      metrics["kist_memory_promise_held{promise=not_dumpable}"] == "1"
        && metrics["kist_memory_promise_held{promise=files_confined}"] == "0")
    #expect(metrics["kist_key_uses_total{key=merchant/acme/1}"] == "7")
    #expect(metrics["kist_key_end_timestamp_seconds{key=merchant/acme/1}"] == "1830297600")
    #expect(metrics.types["kist_key_uses_total"] == "counter")
  }

  @Test func aLockedDaemonHasNoFiguresOfItsLogAndKeys() throws {
    var report = StatusReport()
    report.state = "locked"
    report.productVersion = "1.2.3"
    report.auditFree = 5
    let metrics = try Exposition(StatusMetrics(report, nil).text)
    #expect(
      metrics["kist_up"] == "1" && metrics["kist_serving"] == "0" && metrics["kist_ready"] == "0")
    #expect(metrics["kist_state{state=locked}"] == "1" && metrics["kist_audit_free_bytes"] == "5")
    #expect(
      metrics.samples.filter { $0.key.hasPrefix("kist_audit_condition") }.map(\.value) == [
        "0", "0", "0", "0",
      ])
    for absent in ["kist_audit_records", "kist_keys", "kist_next_key_end_timestamp_seconds"] {
      #expect(metrics[absent] == nil, "\(absent)")
    }
  }

  @Test func aRefusedReload() throws {
    #expect(
      try Exposition(StatusMetrics(Self.serving, Self.taken).text)["kist_last_reload_successful"]
        == "1")
    #expect(
      try Exposition(StatusMetrics(Self.serving, LastLoad(count: 2, refusal: "no such user")).text)[
        "kist_last_reload_successful"] == "0")
    #expect(
      try Exposition(StatusMetrics(Self.serving, nil).text)["kist_last_reload_successful"] == nil)
    for (next, value) in [
      (LastLoad(count: 3, refusal: nil), "0"), (LastLoad(count: 3, refusal: "no such user"), "1"),
      (nil, nil),
    ] as [(LastLoad?, String?)] {
      #expect(
        try Exposition(StatusMetrics(Self.serving, Self.taken, next).text)["kist_start_refused"]
          == value)
    }
  }

  @Test func aDaemonThatDoesNotAnswer() throws {
    #expect(try Exposition(StatusMetrics.down.text).samples == ["kist_up": "0"])
  }

  @Test func theSameReportGivesTheSameBytes() {
    #expect(
      StatusMetrics(Self.serving, Self.taken, nil, [Self.key]).text
        == StatusMetrics(Self.serving, Self.taken, nil, [Self.key]).text)
  }

  @Test(arguments: ["1\"2", "1\\2", "1\n2", "1\r\n2", "1\\n2", "} 1\nkist_up 0", "ä€😀"])
  func textOfOthersStaysInItsLabel(_ version: String) throws {
    var report = Self.serving
    report.productVersion = version
    let metrics = try Exposition(StatusMetrics(report, nil).text)
    #expect(metrics["kist_build_info{version=\(version)}"] == "1" && metrics["kist_up"] == "1")
  }

  @Test func thePageHasEveryMetricAndNoOther() throws {
    let pages = try String(
      contentsOf: Self.root.appendingPathComponent("docs/METRICS.md"), encoding: .utf8
    ).components(separatedBy: "\n## ")
    let page = try #require(pages.first { $0.hasPrefix("What there is\n") })
    let named = page.split(separator: "\n").compactMap {
      $0.firstMatch(of: /^\| `(kist_[a-z_]+)`/).map { String($0.output.1) }
    }
    let metrics = try Exposition(
      StatusMetrics(Self.serving, Self.taken, Self.taken, [Self.key]).text)
    #expect(named == metrics.order)
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..")

  private static let serving: StatusReport = {
    var report = StatusReport()
    report.state = "serving"
    report.productVersion = "1.2.3"
    report.connections = 4
    report.auditCondition = "ample"
    report.auditSize = 1 << 40
    report.auditRoot = [UInt8](repeating: 1, count: 32)
    report.auditFree = .max
    report.keys = 2
    report.nextKeyEnd = 1_830_297_600
    report.unmatchedGrants = "shop till"
    return report
  }()

  private static let taken = LastLoad(count: 1, refusal: nil)

  private static let key: Key = {
    var description = KeyDescription()
    description.label = "merchant/acme/1"
    description.role = "sealing"
    description.state = "active"
    description.uses = 7
    description.lastUse = 1_799_913_600
    description.notAfter = 1_830_297_600
    return Key(description)
  }()
}
