import Audit
import Format
import Foundation
import Host
import Review
import TestSupport
import Testing

/// A log of small segments in a directory that `zstd` can see.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zstd"),
    "Debian's zstd is not installed: make deps"))
final class CompressionTests {
  private let test: TestLog
  private let path: String
  private let plain: [String: [UInt8]]

  init() throws {
    let test = try TestLog(commits: 60, segmentLimit: 5000)
    self.test = test
    path =
      FileManager.default.temporaryDirectory.appendingPathComponent("kist-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let names = try test.disk.list(TestLog.path).filter { $0.hasSuffix(".log") }
    plain = Dictionary(
      uniqueKeysWithValues: try names.map {
        ($0, try #require(test.disk.contents(TestLog.path + "/" + $0)))
      })
    try plant()
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private var log: LogDirectory { LogDirectory(path, on: ArchiveDisk()) }
  private var segments: [String] { plain.keys.sorted() }
  private var found: Verification {
    LogVerifier(test.verifier, anchor: test.heads.last, signatures: .every).verify(log)
  }
  private var files: [String] { get throws { try LinuxDisk().list(path) } }

  /// The log as it was.
  private func plant() throws {
    for name in try files { try FileManager.default.removeItem(atPath: path + "/" + name) }
    for (name, bytes) in plain {
      try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }
  }

  private func lines() throws -> [[UInt8]] {
    var lines: [[UInt8]] = []
    try LogReader(log).forEachLine { _, line in
      lines.append(line.array)
      return true
    }
    return lines
  }

  private func export(to target: SimulatedDisk) throws {
    try target.makeDirectory("/out", mode: 0o700)
    _ = try Exporter(log, test.verifier, to: ExportDirectory("/out/export", on: target)).run()
  }

  /// [AUD-DIR-4]
  @Test func readersSeeNoDifference() throws {
    let before = try lines()
    let verified = found
    let exported = SimulatedDisk()
    try export(to: exported)
    for name in segments.dropLast() {
      let saving = try #require(try SegmentCompression(path).compress(name))
      #expect(saving.before == plain[name]?.count && saving.after < saving.before)
    }
    #expect(try files == segments.dropLast().map { $0 + ".zst" } + segments.suffix(1))
    #expect(found.verdict == .good)
    #expect(found == verified)
    #expect(try lines() == before)
    let again = SimulatedDisk()
    try export(to: again)
    #expect(try again.list("/out/export/log") == segments)
    for name in try exported.list("/out/export") + segments.map({ "log/" + $0 }) {
      #expect(
        again.contents("/out/export/" + name) == exported.contents("/out/export/" + name), "\(name)"
      )
    }
    // Proofs too, and what is compressed can go by age.
    #expect(try Prover(log, test.verifier).record(7).text == test.prover.record(7).text)
    let retention = Retention(log, test.verifier)
    let now = Timestamp(seconds: 2_000_000_000)
    let starts = try LogReader(log).segmentStarts(at: now)
    try retention.prune(
      try #require(try retention.expired(before: starts[2].latestBefore, at: now)))
    #expect(
      try files == segments.dropFirst(2).dropLast().map { $0 + ".zst" } + segments.suffix(1) + [
        "pruned"
      ])
    #expect(found.verdict == .good)
  }

  @Test func theOwnerAndTheModeStay() throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: path + "/" + segments[0])
    _ = try SegmentCompression(path).compress(segments[0])
    #expect(
      try FileManager.default.attributesOfItem(atPath: path + "/" + segments[0] + ".zst")[
        .posixPermissions] as? Int == 0o640)
  }

  /// [AUD-DIR-4]
  @Test func theDaemonSeesOnlyPlainSegments() throws {
    for name in segments.prefix(2) { _ = try SegmentCompression(path).compress(name) }
    let found = LogVerifier(test.verifier, anchor: test.heads.last).verify(LogDirectory(path))
    #expect((found.verdict, found.segmentCount) == (.good, segments.count - 2))
  }

  @Test("[AUD-DIR-4] where a segment is there twice, the plain one counts") func twice() throws {
    let bytes = try #require(plain[segments[0]])
    _ = try SegmentCompression(path).compress(segments[0])
    let file = URL(fileURLWithPath: path + "/" + segments[0])
    try Data(bytes).write(to: file)
    #expect(found.verdict == .good)
    try Data("no frame".utf8).write(to: file.appendingPathExtension("zst"))
    #expect(found.verdict == .good)
    try Data(bytes.map { $0 == UInt8(ascii: "0") ? UInt8(ascii: "1") : $0 }).write(to: file)
    guard case .tampered = found.verdict else {
      return #expect(found.verdict == .tampered(at: 0, .form))
    }
  }

  @Test func aFlippedByteIsFound() throws {
    let file = path + "/" + segments[1] + ".zst"
    _ = try SegmentCompression(path).compress(segments[1])
    let first = try #require(UInt64(segments[1].dropLast(4)))
    let whole = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    for place in stride(from: 0, to: whole.count, by: max(1, whole.count / 40)) {
      var bytes = whole
      bytes[place] ^= 0x10
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      #expect(found.verdict == .tampered(at: first, .compression), "byte \(place)")
    }
    for count in [0, 1, 4, whole.count / 2, whole.count - 1] {
      try Data(whole.prefix(count)).write(to: URL(fileURLWithPath: file))
      #expect(found.verdict == .tampered(at: first, .compression), "cut to \(count)")
      #expect(throws: AuditError.tampered(at: first, .compression)) { try lines() }
    }
  }

  /// What expands well and is not what was compressed is found as it would be in a plain segment.
  @Test func anotherSegmentCompressedIsFound() throws {
    var bytes = try #require(plain[segments[1]])
    bytes[300] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + segments[1]))
    _ = try SegmentCompression(path).compress(segments[1])
    guard case .tampered(_, let what) = found.verdict else {
      return #expect(Bool(false), "\(found.verdict)")
    }
    #expect(what != .compression)
    try plant()
    _ = try SegmentCompression(path).compress(segments[1])
    try FileManager.default.removeItem(atPath: path + "/" + segments[1] + ".zst")
    #expect(found.verdict.exitCode == 3, "a missing one is missing")
  }

  @Test func whatExpandsBeyondASegmentIsRefused() throws {
    _ = try SegmentCompression(path).compress(segments[0])
    let size = try #require(plain[segments[0]]?.count)
    for (limit, verdict) in [(size, .good), (size - 1, .tampered(at: 0, .compression))]
      as [(Int, Verdict)]
    {
      #expect(
        LogVerifier(test.verifier).verify(LogDirectory(path, on: ArchiveDisk(limit: limit))).verdict
          == verdict)
    }
  }

  /// Wherever it is cut short, nothing is lost, and once more ends it.
  @Test func aCompressionThatIsCutShortLosesNothing() throws {
    var calls = 0
    while true {
      try plant()
      let disk = BreakingDisk(after: calls)
      let ended = (try? SegmentCompression(path, on: disk).compress(segments[0])) != nil
      #expect(found.verdict == .good, "after \(calls) calls")
      if ended { break }
      calls += 1
      _ = try SegmentCompression(path).compress(segments[0])
      #expect(try files == [segments[0] + ".zst"] + segments.dropFirst(), "after \(calls) calls")
      #expect(found.verdict == .good)
      #expect(try SegmentCompression(path).compress(segments[0]) == nil)
    }
    #expect(calls > 5)
  }
}

/// The real disk until a number of changing calls; then it fails whatever changes, as a process
/// that was killed.
private final class BreakingDisk: Disk, @unchecked Sendable {
  private let disk = LinuxDisk()
  private var left: Int

  init(after calls: Int) { left = calls }

  private func change<R>(_ body: () throws(DiskError) -> R) throws(DiskError) -> R {
    left -= 1
    guard left >= 0 else { throw DiskError(.write, errno: 5) }
    return try body()
  }

  func open(_ path: String, _ access: FileAccess) throws(DiskError) -> Int32 {
    guard access != .read else { return try disk.open(path, access) }
    return try change { () throws(DiskError) in try disk.open(path, access) }
  }

  func close(_ descriptor: Int32) { disk.close(descriptor) }
  func size(_ descriptor: Int32) throws(DiskError) -> Int { try disk.size(descriptor) }
  func isNamed(_ descriptor: Int32, _ path: String) throws(DiskError) -> Bool {
    try disk.isNamed(descriptor, path)
  }
  func lock(_ descriptor: Int32) throws(DiskError) { try disk.lock(descriptor) }
  func read(_ descriptor: Int32, into buffer: inout MutableSpan<UInt8>, at offset: Int)
    throws(DiskError) -> Int
  {
    try disk.read(descriptor, into: &buffer, at: offset)
  }
  func write(_ descriptor: Int32, _ bytes: Span<UInt8>, at offset: Int) throws(DiskError) {
    throw DiskError(.write, errno: 5)
  }
  func truncate(_ descriptor: Int32, to size: Int) throws(DiskError) {
    throw DiskError(.truncate, errno: 5)
  }
  func syncData(_ descriptor: Int32) throws(DiskError) {
    try change { () throws(DiskError) in try disk.syncData(descriptor) }
  }
  func sync(_ descriptor: Int32) throws(DiskError) {
    try change { () throws(DiskError) in try disk.sync(descriptor) }
  }
  func rename(_ source: String, to target: String) throws(DiskError) {
    try change { () throws(DiskError) in try disk.rename(source, to: target) }
  }
  func remove(_ path: String) throws(DiskError) {
    try change { () throws(DiskError) in try disk.remove(path) }
  }
  func makeDirectory(_ path: String, mode: UInt32) throws(DiskError) {
    try change { () throws(DiskError) in try disk.makeDirectory(path, mode: mode) }
  }
  func syncDirectory(_ path: String) throws(DiskError) {
    try change { () throws(DiskError) in try disk.syncDirectory(path) }
  }
  func freeBytes(_ path: String) throws(DiskError) -> Int { try disk.freeBytes(path) }
  func list(_ path: String) throws(DiskError) -> [String] { try disk.list(path) }
}
