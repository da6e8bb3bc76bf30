import Audit
import Format
import Foundation
import KistClient
import Testing

/// What happens to a log's old segments on the one hand, and a backup that needs them on the other.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zstd"),
    "Debian's zstd is not installed: make deps"))
struct OldSegmentsTests {
  private let daemon: TestDaemon
  /// The newest backup, and its digest.
  private let copy, digest: String
  /// The log's.
  private let key: String
  private var log: String { daemon.auditDirectory }

  /// A daemon that made a backup, then wrote some segments, and stopped.
  init() throws {
    var options = TestDaemon.Options()
    options.segmentSize = "1MiB"
    options.backups = true
    options.policy = """
      [[grant]]
      id = "everything"
      users = [\(getuid())]
      operations = ["random", "status", "back-up"]
      """
    daemon = try TestDaemon(options)
    let backups = daemon.directory.path + "/backups"
    let made = try Self.kist(["backup", "--json", "--socket", daemon.operators.path])
    digest = String(try #require(made.text.firstMatch(of: /"digest":"([0-9a-f]{64})"/)).output.1)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: backups).first)
    copy = backups + "/" + name
    key = try Client(daemon.operators).status().auditVerifierKey
    let client = try Client(daemon.services)
    while try segments().count < 3 { for _ in 0..<100 { _ = try client.random(8) } }
    try #require(daemon.stop() == 0)
  }

  private func segments() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasSuffix(".log") }
      .sorted()
  }

  private static func kist(_ words: [String]) throws -> (code: Int32, text: String) {
    try Terminal([TestDaemon.executable("kist").path] + words).end()
  }

  private func restore(_ more: String...) throws -> (code: Int32, text: String) {
    try Self.kist(["restore", copy, daemon.directory.path + "/state", "--digest", digest] + more)
  }

  @Test(
    "a restore expands the compressed segments that the daemon must read, and the store opens with all records since the backup"
  )
  func expanded() throws {
    let plain = try segments()
    for segment in plain.dropLast() {
      _ = try Oracle.run(["zstd", "-q", "--rm", log + "/" + segment])
    }
    let keys = daemon.directory.path + "/state/keys"
    try FileManager.default.removeItem(atPath: keys)
    try FileManager.default.removeItem(atPath: daemon.directory.path + "/state/audit.recollection")

    let nowhere = try restore("--log", "/nowhere")
    #expect(nowhere.code == 1 && nowhere.text.hasSuffix("; nothing was made\n"), "\(nowhere)")
    #expect(!FileManager.default.fileExists(atPath: keys))

    let done = try restore("--log", log, "--json")
    let names = plain.dropLast().map { "\"\($0)\"" }.joined(separator: ",")
    #expect(done.code == 0 && done.text.contains("\"expanded\":[\(names)]"), "\(done)")
    #expect(try segments() == plain)
    let again = try daemon.restarted()
    #expect(try Client(again.services).random(8).count == 8)
    #expect(again.stop() == 0)
    #expect(try again.records().contains { $0.operation == "key-store-restored" })
    #expect(try !again.records().contains { $0.operation == "records-unread" })
  }

  @Test("a damaged segment that a restore needs is named, and no store is made") func damaged()
    throws
  {
    let oldest = log + "/" + (try #require(try segments().first))
    _ = try Oracle.run(["zstd", "-q", "--rm", oldest])
    let file = URL(fileURLWithPath: oldest + ".zst")
    try Data(contentsOf: file).dropLast(9).write(to: file)
    let keys = daemon.directory.path + "/state/keys"
    try FileManager.default.removeItem(atPath: keys)
    let answer = try restore("--log", log)
    #expect(answer.code == 1 && answer.text.hasSuffix("; nothing was made\n"), "\(answer)")
    #expect(!FileManager.default.fileExists(atPath: keys))
  }

  @Test("what restoring the newest backup needs is not pruned, until there is a newer backup")
  func pruned() throws {
    let later = daemon.directory.path + "/later.toml"
    let clock = """
      [audit]
      origin = "kist-test"
      [sandbox]
      rehearsal = true
      trust_anchor = "/nowhere"
      clock = "2099-01-01T00:00:00Z"
      """
    try Data(clock.utf8).write(to: URL(fileURLWithPath: later))
    let prune = ["audit", "prune", log, "--before", "2098-01-01", "--key", key, "--config", later]
    let before = try segments()
    let refused = try Self.kist(prune)
    #expect(
      refused.code == 75
        && refused.text.contains("can be restored fully only while the records from "), "\(refused)"
    )
    #expect(try segments() == before)

    let again = try daemon.restarted()
    #expect(try Self.kist(["backup", "--socket", again.operators.path]).code == 0)
    #expect(again.stop() == 0)
    let done = try Self.kist(prune)
    #expect(done.code == 0, "\(done)")
    #expect(try segments() == before.suffix(1))
  }
}
