import Foundation
import FuzzTargets
import TestSupport
import Testing

/// What `make fuzz` mutates, as it stands: every seed, and every input that once found something.
@Suite("fuzz targets", .serialized) struct ReplayTests {
  init() throws { try #require(TestArena.ready) }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "Corpora")

  /// In the order of their names.
  private static func corpus(_ target: any FuzzTarget.Type) throws -> [(
    name: String, input: [UInt8]
  )] {
    let folder = folder.appending(path: target.name)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      ($0, Array(try Data(contentsOf: folder.appending(path: $0))))
    }
  }

  @Test("keep every promise over their corpora", arguments: fuzzTargets.indices)
  func corpora(_ index: Int) throws {
    let target = fuzzTargets[index]
    let corpus = try Self.corpus(target)
    #expect(!corpus.isEmpty)
    for (name, input) in corpus { Self.expectKept(target, input, "\(target.name)/\(name)") }
  }

  @Test("keep every promise over their seeds, whole and cut", arguments: fuzzTargets.indices)
  func seeds(_ index: Int) throws {
    let target = fuzzTargets[index]
    let seeds = try target.seeds()
    #expect(!seeds.isEmpty)
    for (number, seed) in seeds.enumerated() {
      #expect(seed.count <= target.byteLimit, "seed \(number)")
      Self.expectKept(target, seed, "\(target.name), seed \(number)")
      Self.expectKept(
        target, Array(seed.prefix(seed.count / 2)), "\(target.name), seed \(number), half")
    }
  }

  @Test(
    "accept what our own encoders and independent programs write", arguments: fuzzTargets.indices)
  func accepts(_ index: Int) throws {
    let target = fuzzTargets[index]
    #expect(try target.seeds().contains { seed in (try? target.run(seed)) != nil })
  }

  @Test("have names of their own, and no corpus is left over") func names() throws {
    let names = fuzzTargets.map { $0.name }
    #expect(Set(names).count == names.count)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        == names.sorted())
  }

  private static func expectKept(_ target: any FuzzTarget.Type, _ input: [UInt8], _ place: String) {
    do { try target.run(input) } catch let broken as BrokenPromise {
      Issue.record("\(place): \(broken)")
    } catch {}
  }
}
