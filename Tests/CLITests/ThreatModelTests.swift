import Foundation
import Testing

/// `docs/THREATS.md` names the test behind each claim: each must be there.
@Suite struct ThreatModelTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL

  /// A suite, and the beginnings of its tests' titles.
  private struct Citation {
    let suite: String
    var titles: [String] = []
  }

  /// What stands in the last column.
  private func cells() throws -> [Substring] {
    let text = try String(
      contentsOf: Self.root.appendingPathComponent("docs/THREATS.md"), encoding: .utf8)
    return text.split(separator: "\n").map {
      $0.split(separator: "|", omittingEmptySubsequences: false)
    }.filter { $0.count == 5 }.map { $0[3] }
  }

  private func citations() throws -> [Citation] {
    var found: [Citation] = []
    for cell in try cells() {
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
    let files =
      FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap {
        $0 as? URL
      } ?? []
    var suites: [String: String] = [:]
    for file in files where file.pathExtension == "swift" {
      let source = try String(contentsOf: file, encoding: .utf8)
      for match in source.matches(of: /(?:struct|class) (\w+Tests)\b/) {
        suites[String(match.output.1)] = source
      }
    }
    return suites
  }

  @Test func everyCitedTestIsThere() throws {
    let citations = try citations()
    let suites = try suites()
    #expect(citations.count > 40)
    for citation in citations {
      let source = try #require(suites[citation.suite], "there is no \(citation.suite)")
      for title in citation.titles {
        #expect(source.contains("\"" + title), "\(citation.suite) has no \"\(title)…\"")
      }
    }
  }

  /// Each as its path, and behind that the names of what is called there.
  @Test func everyCitedProgramIsThere() throws {
    let programs = try cells().flatMap { $0.matches(of: /`(Tests\/[\w\/.-]+)`((?: `\w+`)*)/) }
    #expect(programs.count > 4)
    for program in programs {
      let source = try String(
        contentsOf: Self.root.appendingPathComponent(String(program.output.1)), encoding: .utf8)
      for name in program.output.2.split(separator: " ") {
        #expect(
          source.contains("\ndef \(name.dropFirst().dropLast())("), "\(program.output.1): \(name)")
      }
    }
  }
}
