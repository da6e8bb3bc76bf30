import Configuration
import Foundation
import KistClient
import Testing
import Wire

@testable import kist

/// What `kist status --metrics` prints, read as strictly as Prometheus' text format 0.0.4 is specified.
@Suite struct StatusMetricsTests {
  @Test func aServingDaemon() throws {
    let metrics = try Exposition(StatusMetrics(Self.serving, Self.taken, [Self.key]).text)
    #expect(metrics["kist_up"] == "1" && metrics["kist_serving"] == "1" && metrics["kist_ready"] == "1")
    #expect(metrics["kist_state{state=serving}"] == "1" && metrics["kist_state{state=locked}"] == "0")
    #expect(metrics["kist_audit_condition{condition=ample}"] == "1" && metrics["kist_audit_condition{condition=full}"] == "0")
    #expect(metrics["kist_audit_records"] == "1099511627776" && metrics["kist_audit_free_bytes"] == "18446744073709551615")
    #expect(metrics["kist_next_key_end_timestamp_seconds"] == "1830297600" && metrics["kist_unmatched_grants"] == "2")
    #expect(metrics["kist_memory_promise_held{promise=not_dumpable}"] == "1" && metrics["kist_memory_promise_held{promise=files_confined}"] == "0")
    #expect(metrics["kist_key_uses_total{key=merchant/acme/1}"] == "7")
    #expect(metrics["kist_key_end_timestamp_seconds{key=merchant/acme/1}"] == "1830297600")
    #expect(metrics.types["kist_key_uses_total"] == "counter")
  }

  @Test func aLockedDaemonHasNoFiguresOfItsLogAndKeys() throws {
    var report = StatusReport()
    (report.state, report.productVersion, report.auditFree) = ("locked", "1.2.3", 5)
    let metrics = try Exposition(StatusMetrics(report, nil).text)
    #expect(metrics["kist_up"] == "1" && metrics["kist_serving"] == "0" && metrics["kist_ready"] == "0")
    #expect(metrics["kist_state{state=locked}"] == "1" && metrics["kist_audit_free_bytes"] == "5")
    #expect(metrics.samples.filter { $0.key.hasPrefix("kist_audit_condition") }.map(\.value) == ["0", "0", "0", "0"])
    for absent in ["kist_audit_records", "kist_keys", "kist_next_key_end_timestamp_seconds"] { #expect(metrics[absent] == nil, "\(absent)") }
  }

  @Test func aRefusedReload() throws {
    #expect(try Exposition(StatusMetrics(Self.serving, Self.taken).text)["kist_last_reload_successful"] == "1")
    #expect(try Exposition(StatusMetrics(Self.serving, LastLoad(count: 2, refusal: "no such user")).text)["kist_last_reload_successful"] == "0")
    #expect(try Exposition(StatusMetrics(Self.serving, nil).text)["kist_last_reload_successful"] == nil)
  }

  @Test func aDaemonThatDoesNotAnswer() throws { #expect(try Exposition(StatusMetrics.down.text).samples == ["kist_up": "0"]) }

  @Test func theSameReportGivesTheSameBytes() {
    #expect(StatusMetrics(Self.serving, Self.taken, [Self.key]).text == StatusMetrics(Self.serving, Self.taken, [Self.key]).text)
  }

  @Test(arguments: ["1\"2", "1\\2", "1\n2", "1\r\n2", "1\\n2", "} 1\nkist_up 0", "ä€😀"]) func textOfOthersStaysInItsLabel(_ version: String) throws {
    var report = Self.serving
    report.productVersion = version
    let metrics = try Exposition(StatusMetrics(report, nil).text)
    #expect(metrics["kist_build_info{version=\(version)}"] == "1" && metrics["kist_up"] == "1")
  }

  @Test func thePageHasEveryMetricAndNoOther() throws {
    let page = try String(contentsOf: Self.root.appendingPathComponent("docs/METRICS.md"), encoding: .utf8)
    let named = page.split(separator: "\n").compactMap { $0.firstMatch(of: /^\| `(kist_[a-z_]+)`/).map { String($0.output.1) } }
    let metrics = try Exposition(StatusMetrics(Self.serving, Self.taken, [Self.key]).text)
    #expect(named == metrics.order)
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")

  private static let serving: StatusReport = {
    var report = StatusReport()
    (report.state, report.productVersion, report.connections) = ("serving", "1.2.3", 4)
    (report.auditCondition, report.auditSize, report.auditRoot, report.auditFree) = ("ample", 1 << 40, [UInt8](repeating: 1, count: 32), .max)
    (report.keys, report.nextKeyEnd, report.unmatchedGrants) = (2, 1_830_297_600, "shop till")
    return report
  }()

  private static let taken = LastLoad(count: 1, refusal: nil)

  private static let key: Key = {
    var description = KeyDescription()
    (description.label, description.role, description.state) = ("merchant/acme/1", "sealing", "active")
    (description.uses, description.lastUse, description.notAfter) = (7, 1_799_913_600, 1_830_297_600)
    return Key(description)
  }()
}

/// Metrics in the text format 0.0.4; refuses all that its specification does not allow, and names that break Prometheus' conventions.
private struct Exposition {
  struct Flaw: Error {
    let line: String
  }

  /// The values by name and labels, such as `kist_state{state=locked}`.
  private(set) var samples: [String: String] = [:]
  private(set) var types: [String: String] = [:]
  /// The names, as they come.
  private(set) var order: [String] = []

  subscript(_ sample: String) -> String? { samples[sample] }

  init(_ text: String) throws {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String(String.UnicodeScalarView($0)) }
    guard lines.popLast() == "" else { throw Flaw(line: "no line feed at the end") }
    var helped: String?
    for line in lines {
      if let help = line.wholeMatch(of: /# HELP (kist_[a-z_]+) [^\\]+/) {
        helped = String(help.output.1)
      } else if let type = line.wholeMatch(of: /# TYPE (kist_[a-z_]+) (gauge|counter)/) {
        let name = String(type.output.1)
        guard name == helped, types[name] == nil, (type.output.2 == "counter") == name.hasSuffix("_total"), Self.isConventional(name) else {
          throw Flaw(line: line)
        }
        (types[name], order) = (String(type.output.2), order + [name])
      } else {
        try addSample(line)
      }
    }
    guard order.allSatisfy({ name in samples.keys.contains { $0 == name || $0.hasPrefix(name + "{") } }) else { throw Flaw(line: "a metric without a sample") }
  }

  private mutating func addSample(_ line: String) throws {
    guard let sample = line.wholeMatch(of: /(kist_[a-z_]+)(?:\{(.*)\})? ([0-9]+)/.dotMatchesNewlines()), sample.output.1 == order.last ?? "" else {
      throw Flaw(line: line)
    }
    var labels: [String] = []
    var rest = sample.output.2 ?? ""
    while let label = rest.prefixMatch(of: /([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/) {
      let value = label.output.2.replacing(/\\(.)/) { $0.output.1 == "n" ? "\n" : String($0.output.1) }
      labels.append("\(label.output.1)=\(value)")
      rest = rest[label.range.upperBound...]
    }
    guard rest.isEmpty, Set(labels.map { $0.prefix { $0 != "=" } }).count == labels.count else { throw Flaw(line: line) }
    let name = sample.output.1 + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
    guard samples.updateValue(String(sample.output.3), forKey: String(name)) == nil else { throw Flaw(line: "twice: \(line)") }
  }

  /// Base units only, and no suffix that belongs to a histogram or a summary.
  private static func isConventional(_ name: String) -> Bool {
    !["_count", "_sum", "_bucket", "_kilobytes", "_milliseconds", "_minutes", "_hours", "_days", "_ms", "_kb"].contains { name.hasSuffix($0) }
      && !name.contains("__") && !name.hasSuffix("_")
  }
}
