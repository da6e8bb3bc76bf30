import Doctor
import Foundation
import Testing

/// Each finding made real on a false host, and nothing found on a healthy one.
@Suite struct DoctorTests {
  @Test func aHealthyHostGivesNothing() throws {
    let findings = try FalseHost().findings
    #expect(findings.isEmpty, "\(findings)")
    #expect(findings.exitCode == 0)
  }

  @Test(arguments: FindingRow.rows) func aMistakeIsFound(_ row: FindingRow) throws {
    let host = try FalseHost()
    try row.make(host)
    let findings = host.findings
    let found = try #require(findings.first { $0.trouble.rawValue == row.id }, "\(row.id) is not among \(findings)")
    #expect(found.cause.contains(row.words), "\(found)")
    #expect(findings.exitCode == row.code, "\(findings)")
    #expect(Set(findings.map(\.trouble.rawValue)) == row.others.union([row.id]), "\(findings)")
    for finding in findings { #expect(Self.isSentence(finding.cause) && Self.isSentence(finding.cure), "\(finding)") }
  }

  @Test func everyFindingHasARow() {
    #expect(Set(FindingRow.rows.map(\.id)) == Set(Trouble.allCases.map(\.rawValue)))
    #expect(Trouble.allCases.count >= 30)
  }

  @Test func thePageHasEveryFindingAndItsSeverity() throws {
    let page = try String(contentsOfFile: FalseHost.packaging + "/../docs/OPERATE.md", encoding: .utf8)
    let section = try #require(page.components(separatedBy: "## What kist doctor finds\n").last?.components(separatedBy: "\n## ").first)
    let columns = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { $0.components(separatedBy: "|") }
    let named = columns.filter { $0.count == 5 }.flatMap { row in
      zip(["problem", "warning"], row[2...3]).flatMap { severity, cell in cell.matches(of: /`([a-z0-9-]+)`/).map { "\(severity) \($0.output.1)" } }
    }
    #expect(named.sorted() == Trouble.allCases.map { "\($0.severity.rawValue) \($0.rawValue)" }.sorted())
  }

  /// One sentence begins with a capital letter, a name or a path, and ends with a period; no Swift value stands in it.
  private static func isSentence(_ text: String) -> Bool {
    text.count > 15 && (text.hasSuffix(".") || text.hasSuffix("?")) && !text.contains("Optional(") && !text.contains("\n") && !text.contains("..")
  }
}
