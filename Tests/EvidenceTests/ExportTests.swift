import Audit
import Crypto
import Foundation
import Host
import Review
import TestSupport
import Testing

@Suite struct ExportTests {
  private func files(_ disk: SimulatedDisk, in folder: String = "/out/export") throws -> [String] {
    try disk.list(folder).flatMap { name -> [String] in
      let path = folder + "/" + name
      return (try? disk.list(path)) == nil ? [path] : try files(disk, in: path)
    }
  }

  /// [AUD-EXP-1]
  @Test(arguments: [1, 254, 300, 520]) func anExportVerifies(_ commits: Int) throws {
    let test = try TestLog(commits: commits)
    let (disk, export) = try test.export([
      .init(.policy, "policy.toml", []), .init(.transcripts, "first/outputs/a.pem", [2]),
    ])
    let found = try ExportVerifier(export, test.verifier).verify(anchor: test.heads[0])
    #expect(found.head == test.heads.last)
    #expect(found.log?.verdict == .good)
    #expect(found.tileCount == (try files(disk)).count { $0.hasPrefix("/out/export/tile/") })
    #expect(try files(disk).contains("/out/export/transcripts/first/outputs/a.pem"))
    #expect(
      found.policies == ["policy/policy.toml": .inForce] && found.unchecked == ["transcripts/"])
    #expect(throws: DiskError.self) { try disk.makeDirectory("/out/export", mode: 0o700) }
    #expect(throws: ExportError.disk(DiskError(.makeDirectory, errno: 17))) {
      try Exporter(test.directory, test.verifier, to: export).run()
    }
  }

  /// [AUD-EXP-2] [AUD-EXP-3] Without the segments the tree of tiles stands for itself.
  @Test func tilesAloneVerify() throws {
    let test = try TestLog(commits: 300)
    let (disk, export) = try test.export()
    for path in try files(disk) where path.contains("/log/") { disk.unplant(path) }
    disk.unplant("/out/export/log")
    let found = try ExportVerifier(export, test.verifier).verify()
    #expect(found.head == test.heads.last && found.log == nil && found.tileCount > 3)
  }

  /// [AUD-EXP-3]
  @Test func everyChangedFileIsFoundOut() throws {
    let test = try TestLog(commits: 300)
    let (disk, export) = try test.export([.init(.policy, "policy.toml", [])])
    for path in try files(disk) {
      let bytes = try #require(disk.contents(path))
      for place in Set([0, bytes.count / 2, max(0, bytes.count - 1)]) {
        let copy = disk.afterCrash(.keepsUnsynced)
        var changed = bytes
        if bytes.isEmpty { changed = [1] } else { changed[place] ^= 1 }
        copy.plant(path, changed)
        #expect(throws: ExportFault.self, "\(path) at \(place)") {
          try ExportVerifier(
            ExportDirectory("/out/export", on: copy), test.verifier, signatures: .every
          ).verify()
        }
      }
      let copy = disk.afterCrash(.keepsUnsynced)
      copy.unplant(path)
      // Without its policy an export is one that was made without.
      if path.contains("/policy/") { continue }
      #expect(throws: ExportFault.self, "\(path)") {
        try ExportVerifier(ExportDirectory("/out/export", on: copy), test.verifier).verify()
      }
    }
    let other = try TestLog(commits: 1, seed: 8)
    #expect(throws: ExportFault.checkpoint) { try ExportVerifier(export, other.verifier).verify() }
    #expect(throws: ExportFault.self) {
      try ExportVerifier(export, test.verifier).verify(
        anchor: TreeHead(size: 5, root: SHA256.hash([1])))
    }
  }

  @Test("[AUD-EXP-4] what nothing in the export can be compared with is named") func strangers()
    throws
  {
    let test = try TestLog(commits: 300)
    let (disk, export) = try test.export([
      .init(.transcripts, "a.txt", [1]), .init(.transcripts, "b/c", [1]),
    ])
    for name in ["note", "log/note", "checkpoints/7", "tile/0/stranger"] {
      disk.plant("/out/export/" + name, [1])
    }
    let found = try ExportVerifier(export, test.verifier).verify()
    #expect(
      found.unchecked == ["checkpoints/7", "log/note", "note", "tile/0/stranger", "transcripts/"])
    try disk.makeDirectory("/out/export/policy", mode: 0o700)
    disk.plant("/out/export/policy/other.toml", [1])
    #expect(throws: ExportFault.untrue("policy/other.toml")) {
      try ExportVerifier(export, test.verifier).verify()
    }
  }

  @Test("[AUD-EXP-4] a policy that the log does not name is not exported") func unknownPolicy()
    throws
  {
    let test = try TestLog(commits: 3)
    let target = SimulatedDisk()
    let exporter = Exporter(
      test.directory, test.verifier, to: ExportDirectory("/export", on: target))
    #expect(throws: ExportError.unknownPolicy) {
      try exporter.run(with: [.init(.policy, "policy.toml", [1])])
    }
    #expect(throws: DiskError.self) { try target.list("/export") }
  }

  @Test("[AUD-EXP-5] a checkpoint that is younger than the export is named as that")
  func anOlderExport() throws {
    let test = try TestLog(commits: 20)
    let later = try TestLog(commits: 30)
    let (disk, export) = try test.export()
    let size = test.size
    let anchor = later.heads[25]
    #expect(throws: ExportFault.older(size: size, anchor: anchor.size)) {
      try ExportVerifier(export, test.verifier).verify(anchor: anchor)
    }
    for path in try files(disk) where path.contains("/log/") { disk.unplant(path) }
    disk.unplant("/out/export/log")
    // Of tiles alone, too; and there a fork is found.
    #expect(throws: ExportFault.older(size: size, anchor: anchor.size)) {
      try ExportVerifier(export, test.verifier).verify(anchor: anchor)
    }
    #expect(
      try ExportVerifier(export, test.verifier).verify(anchor: test.heads[5]).head
        == test.heads.last)
    let fork = TreeHead(size: test.heads[5].size, root: SHA256.hash([1]))
    #expect(throws: ExportFault.fork) {
      try ExportVerifier(export, test.verifier).verify(anchor: fork)
    }
  }

  @Test func onlyAGoodLogIsExported() throws {
    let test = try TestLog(commits: 10)
    let path = TestLog.path + "/00000000000000000000.log"
    var bytes = try #require(test.disk.contents(path))
    bytes[200] ^= 1
    test.disk.plant(path, bytes)
    let target = SimulatedDisk()
    #expect(throws: ExportError.self) {
      try Exporter(test.directory, test.verifier, to: ExportDirectory("/export", on: target)).run()
    }
    #expect(throws: DiskError.self) { try target.list("/export") }
  }

  /// [AUD-EXP-2]
  @Test func afterRetentionTheSegmentsThatAreLeftAreExported() throws {
    let test = try TestLog(commits: 80)
    try test.prune(1)
    let (disk, export) = try test.export()
    let found = try ExportVerifier(export, test.verifier).verify()
    #expect(found.log?.verdict == .good && found.tileCount == 0)
    #expect(try !files(disk).contains { $0.contains("/tile/") })
  }

  @Test(arguments: [
    (TilePath(.entries, 0), "tile/entries/000"),
    (TilePath(.entries, 1, width: 7), "tile/entries/001.p/7"),
    (TilePath(.hashes(level: 0), 1_234_067), "tile/0/x001/x234/067"),
    (TilePath(.hashes(level: 3), 1000, width: 255), "tile/3/x001/000.p/255"),
  ]) func tilesHaveTheirNames(_ path: TilePath, _ text: String) { #expect(path.text == text) }

  @Test(.enabled(if: Vectors.present, "vectors are not here"))
  func tesserasLogVerifies() throws {
    try #require(TestArena.ready)
    let folder = Vectors.root.appendingPathComponent("tlog/tessera-log")
    let vkey = try String(contentsOf: folder.appendingPathComponent("vkey.txt"), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let export = ExportDirectory(folder.appendingPathComponent("testdata/log").path)
    let found = try ExportVerifier(export, NoteVerifier(vkey: vkey)).verify()
    #expect(found.head.size == 15 && found.tileCount == 2)
    #expect(throws: ExportFault.checkpoint) {
      try ExportVerifier(export, TestLog(commits: 1).verifier).verify()
    }
  }
}
