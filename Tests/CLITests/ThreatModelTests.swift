import Foundation
import Testing

/// `docs/THREATS.md` names the test behind each claim: each must be there.
@Suite struct ThreatModelTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardizedFileURL

  /// A suite, and the beginnings of its tests' titles.
  private struct Citation {
    let suite: String
    var titles: [String] = []
  }

  private func citations() throws -> [Citation] {
    let text = try String(contentsOf: Self.root.appendingPathComponent("docs/THREATS.md"), encoding: .utf8)
    let cells = text.split(separator: "\n").map { $0.split(separator: "|", omittingEmptySubsequences: false) }.filter { $0.count == 5 }.map { $0[3] }
    var found: [Citation] = []
    for cell in cells {
      for match in cell.matches(of: /([A-Z]\w+Tests)|"([^"]+)"/) {
        if let suite = match.output.1 {
          found.append(Citation(suite: String(suite)))
        } else if let title = match.output.2 {
          found[found.count - 1].titles.append(String(title))
        }
      }
    }
    return found
  }

  /// The sources of the suites, by name.
  private func suites() throws -> [String: String] {
    let tests = Self.root.appendingPathComponent("Tests")
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    var suites: [String: String] = [:]
    for file in files where file.pathExtension == "swift" {
      let source = try String(contentsOf: file, encoding: .utf8)
      for match in source.matches(of: /(?:struct|class) (\w+Tests)\b/) { suites[String(match.output.1)] = source }
    }
    return suites
  }

  @Test func everyCitedTestIsThere() throws {
    let (citations, suites) = (try citations(), try suites())
    #expect(citations.count > 40)
    for citation in citations {
      let source = try #require(suites[citation.suite], "there is no \(citation.suite)")
      for title in citation.titles { #expect(source.contains("\"" + title), "\(citation.suite) has no \"\(title)…\"") }
    }
  }
}
