import Foundation
import Testing

/// `docs/ARCHITECTURE.md` names files and types: each must be there.
@Suite struct ArchitecturePageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL

  private let page: String
  private let sources: [String]

  init() throws {
    page = try String(
      contentsOf: Self.root.appendingPathComponent("docs/ARCHITECTURE.md"), encoding: .utf8)
    let all = FileManager.default.enumerator(
      atPath: Self.root.appendingPathComponent("Sources").path)?.compactMap { $0 as? String }
    sources = try #require(all)
  }

  @Test("every file and folder on the page is there") func files() throws {
    let places = page.matches(of: /`([A-Za-z]+\/[A-Za-z\/]*[A-Za-z]+)(\.swift)?(\/)?`/).map {
      String($0.output.1)
    }
    #expect(places.count > 30)
    for place in places
    where !["docs", "clients", "Tests", "proto"].contains(place.prefix { $0 != "/" }) {
      // A file may be named as `RequestBatch.commit`, with one of its functions.
      #expect(sources.contains(place) || sources.contains(place + ".swift"), "there is no \(place)")
    }
  }

  @Test("every type on the page is there") func types() throws {
    let text = try sources.filter { $0.hasSuffix(".swift") }.map {
      try String(contentsOf: Self.root.appendingPathComponent("Sources/" + $0), encoding: .utf8)
    }
    .joined()
    let names = Set(page.matches(of: /`([A-Z][A-Za-z]+)[.`]/).map { String($0.output.1) })
    #expect(names.count > 20)
    let modules = Set(sources.compactMap { $0.split(separator: "/").first.map(String.init) })
    for name in names.subtracting(modules).subtracting(["Package", "Tests"]) {
      let isDeclared = ["struct", "class", "enum"].contains { text.contains("\($0) \(name)") }
      #expect(
        isDeclared || sources.contains { $0.hasSuffix("/\(name).swift") }, "there is no \(name)")
    }
  }
}
