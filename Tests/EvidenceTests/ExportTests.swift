import Audit
import CryptoBackend
import Evidence
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct ExportTests {
  private func files(_ disk: SimulatedDisk, in folder: String = "/out/export") throws -> [String] {
    try disk.list(folder).flatMap { name -> [String] in
      let path = folder + "/" + name
      return (try? disk.list(path)) == nil ? [path] : try files(disk, in: path)
    }
  }

  @Test(arguments: [1, 254, 300, 520]) func anExportVerifies(_ commits: Int) throws {
    let test = try TestLog(commits: commits)
    let (disk, export) = try test.export([.init(.policy, "a.toml", [1]), .init(.transcripts, "ceremony.json", [2])])
    let found = try ExportVerifier(export, test.verifier).verify(anchor: test.heads[0])
    #expect(found.head == test.heads.last)
    #expect(found.log?.verdict == .good)
    #expect(found.tileCount == (try files(disk)).count { $0.hasPrefix("/out/export/tile/") })
    #expect(try files(disk).contains("/out/export/policy/a.toml"))
    #expect(try files(disk).contains("/out/export/transcripts/ceremony.json"))
    #expect(throws: DiskError.self) { try disk.makeDirectory("/out/export", mode: 0o700) }
    #expect(throws: ExportError.disk(DiskError(.makeDirectory, errno: 17))) { try Exporter(test.directory, test.verifier, to: export).run() }
  }

  /// Without the segments the tree of tiles stands for itself.
  @Test func tilesAloneVerify() throws {
    let test = try TestLog(commits: 300)
    let (disk, export) = try test.export()
    for path in try files(disk) where path.contains("/log/") { disk.unplant(path) }
    disk.unplant("/out/export/log")
    let found = try ExportVerifier(export, test.verifier).verify()
    #expect(found.head == test.heads.last && found.log == nil && found.tileCount > 3)
  }

  @Test func everyChangedFileIsFoundOut() throws {
    let test = try TestLog(commits: 300)
    let (disk, export) = try test.export()
    for path in try files(disk) where !path.hasSuffix("/vkey") && !path.contains("/checkpoints/") {
      let bytes = try #require(disk.contents(path))
      for place in [0, bytes.count / 2, bytes.count - 1] {
        let copy = disk.afterCrash(.keepsUnsynced)
        var changed = bytes
        changed[place] ^= 1
        copy.plant(path, changed)
        #expect(throws: ExportFault.self, "\(path) at \(place)") {
          try ExportVerifier(ExportDirectory("/out/export", on: copy), test.verifier, signatures: .every).verify()
        }
      }
      let copy = disk.afterCrash(.keepsUnsynced)
      copy.unplant(path)
      #expect(throws: ExportFault.self, "\(path)") { try ExportVerifier(ExportDirectory("/out/export", on: copy), test.verifier).verify() }
    }
    let other = try TestLog(commits: 1, seed: 8)
    #expect(throws: ExportFault.checkpoint) { try ExportVerifier(export, other.verifier).verify() }
    #expect(throws: ExportFault.self) { try ExportVerifier(export, test.verifier).verify(anchor: TreeHead(size: 5, root: SHA256.hash([1]))) }
  }

  @Test func onlyAGoodLogIsExported() throws {
    let test = try TestLog(commits: 10)
    let path = TestLog.path + "/00000000000000000000.log"
    var bytes = try #require(test.disk.contents(path))
    bytes[200] ^= 1
    test.disk.plant(path, bytes)
    let target = SimulatedDisk()
    #expect(throws: ExportError.self) { try Exporter(test.directory, test.verifier, to: ExportDirectory("/export", on: target)).run() }
    #expect(throws: DiskError.self) { try target.list("/export") }
  }

  @Test func afterRetentionTheSegmentsThatAreLeftAreExported() throws {
    let test = try TestLog(commits: 80)
    try test.prune(1)
    let (disk, export) = try test.export()
    let found = try ExportVerifier(export, test.verifier).verify()
    #expect(found.log?.verdict == .good && found.tileCount == 0)
    #expect(try !files(disk).contains { $0.contains("/tile/") })
  }

  @Test(arguments: [
    (TilePath(.entries, 0), "tile/entries/000"), (TilePath(.entries, 1, width: 7), "tile/entries/001.p/7"),
    (TilePath(.hashes(level: 0), 1_234_067), "tile/0/x001/x234/067"), (TilePath(.hashes(level: 3), 1000, width: 255), "tile/3/x001/000.p/255"),
  ]) func tilesHaveTheirNames(_ path: TilePath, _ text: String) { #expect(path.text == text) }

  @Test(.enabled(if: Vectors.present, "vectors are not here"))
  func tesserasLogVerifies() throws {
    try #require(TestArena.ready)
    let folder = Vectors.root.appendingPathComponent("tlog/tessera-log")
    let vkey = try String(contentsOf: folder.appendingPathComponent("vkey.txt"), encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    let export = ExportDirectory(folder.appendingPathComponent("testdata/log").path)
    let found = try ExportVerifier(export, NoteVerifier(vkey: vkey)).verify()
    #expect(found.head.size == 15 && found.tileCount == 2)
    #expect(throws: ExportFault.checkpoint) { try ExportVerifier(export, TestLog(commits: 1).verifier).verify() }
  }
}
