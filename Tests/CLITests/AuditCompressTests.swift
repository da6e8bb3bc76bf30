import Audit
import Crypto
import Format
import Foundation
import Synchronization
import TestSupport
import Testing

/// `kist audit compress`, and what the other commands say of a log before and after.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zstd"),
    "Debian's zstd is not installed: make deps"))
struct AuditCompressTests {
  private let scratch: Scratch
  private let key: String
  private let signer: NoteSigner
  /// After every commit.
  private let heads: [TreeHead]
  private let size: UInt64
  private var log: String { scratch.path + "/audit" }

  init() throws {
    try #require(TestArena.ready)
    scratch = try Scratch()
    let directory = scratch.path + "/audit"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let signer = try NoteSigner(
      name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    key = signer.verifier.vkey
    let seconds = Seconds()
    let digest = SHA256.hash([])
    let boot = try #require(BootID("0123456789abcdef0123456789abcdef"))
    var settings = AuditSettings(boot: boot, clock: { seconds.next() })
    settings.segmentLimit = 5000
    settings.allocation = 2048
    let log = try AuditLog(
      LogDirectory(directory), signer: signer,
      start: StartFacts(policy: digest, configuration: digest), settings: settings)
    var heads: [TreeHead] = []
    for _ in 0..<40 {
      _ = try log.commit(Batch(Attempt(.keyStoreLocked)))
      heads.append(log.head)
    }
    try log.close()
    self.heads = heads
    self.signer = signer
    size = log.head.size
  }

  /// A file with the checkpoint of so many records.
  private func kept(_ size: UInt64, root: Digest256? = nil) throws -> String {
    let head = try #require(heads.first { $0.size == size })
    let note = try Checkpoint(
      origin: signer.verifier.name, head: TreeHead(size: size, root: root ?? head.root)
    ).signed(by: signer)
    return try scratch.write(
      "\(size)\(root == nil ? "" : "-forged").checkpoint", String(decoding: note, as: UTF8.self))
  }

  private final class Seconds: Sendable {
    private let count = Atomic<Int64>(1_700_000_000)

    func next() -> Timestamp { Timestamp(seconds: count.add(1, ordering: .relaxed).oldValue) }
  }

  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.contains(".log") }
        .sorted()
    }
  }

  private func compress(_ options: String...) throws -> Transcript {
    try Kist.run(["audit", "compress", log, "--before", "2024-12-31", "--key", key] + options)
  }

  private func answers() throws -> [Transcript] {
    let words: [[String]] = [
      ["verify", log, "--key", key], ["show", log], ["show", log, "2"],
      ["show", log, "--op", "key-store-locked", "--csv"],
      ["tail", log, "-n", "35", "--json"],
      ["report", log, "--since", "2023-01-01", "--key", key],
      ["report", log, "--since", "2023-01-01", "--json"], ["review", log],
      ["checkpoint", log, "--key", key],
      ["prove", log, "3", "--key", key],
      ["prune", log, "--before", "2024-12-31", "--key", key, "--dry-run"],
    ]
    return try words.map { words in
      var said = try Kist.run(["audit"] + words)
      // A report says when it was made.
      said.output.replace(/(Made at |"made":")[0-9T:Z-]+/, with: "")
      return said
    }
  }

  @Test func everyCommandSaysTheSameAfterwards() throws {
    let segments = try files
    let before = try answers()
    try #require(segments.count > 3)
    #expect(before.allSatisfy { $0.code == 0 && !$0.output.isEmpty })
    let dry = try compress("--dry-run")
    #expect(
      (dry.code, dry.output) == (
        0, segments.dropLast().map { $0 + "\n" }.joined() + "would be compressed\n"
      ))
    #expect(try files == segments)
    let done = try compress()
    #expect(done.code == 0 && done.output.contains(/\ncompressed: \d+ bytes are now \d+\n/))
    #expect(try files == segments.dropLast().map { $0 + ".zst" } + segments.suffix(1))
    #expect(try answers() == before)
    #expect(try compress().output == "nothing that is older is left to compress\n")
    #expect(try compress("--json").output == #"{"after":0,"before":0,"segments":[]}"# + "\n")
    let pruned = try Kist.run(["audit", "prune", log, "--before", "2024-12-31", "--key", key])
    #expect(pruned.code == 0)
    #expect(try files == segments.suffix(1))
  }

  /// The daemon's clock stands where its configuration says.
  @Test(
    "a week of the log stays plain, whatever configuration and policy are",
    arguments: ["compress", "prune"])
  func whatADaemonMayReadStays(_ command: String) throws {
    func run(_ clock: String, before: String = "2024-12-31") throws -> Transcript {
      let config = try scratch.write(
        "kist.toml",
        """
        [audit]
        origin = "kist.test/audit"
        [sandbox]
        rehearsal = true
        trust_anchor = "/nowhere"
        clock = "\(clock)"
        """)
      return try Kist.run([
        "audit", command, log, "--before", before, "--key", key, "--config", config, "--dry-run",
      ])
    }
    // The log is of 2023-11-14, 22:13:20.
    let complaint = "kist audit \(command): kistd may have to read what was written since "
    // A week, the 15 minutes for which envelopes that open once are remembered longer [OP-ENV-5],
    // and a retry window [FLEET-CLAIM-11].
    let early = try run("2023-11-17T12:00:00Z")
    #expect(early.code == 75)
    #expect(
      early.complaint.hasPrefix(
        complaint
          + "2023-11-10T10:45:00Z: give --before 2023-11-10T10:45:00Z, or wait until 2023-11-21T23:28:5"
      ))
    #expect(try run("2023-11-17T12:00:00Z", before: "2023-11-13").output.contains("older"))
    #expect(try run("2023-11-21T23:28:19Z").code == 75)
    #expect(try run("2023-11-21T23:29:00Z").code == 0)
    #expect(
      try Kist.run([
        "audit", command, log, "--before", "2024-12-31", "--key", key, "--config", "/nowhere",
      ]).code == 66)
  }

  /// [AUD-PROOF-4]
  @Test(
    "a log is compared with a checkpoint that is older than its oldest record, or the answer says that it was not"
  ) func comparedWithOlder() throws {
    func verify(_ file: String, _ more: String...) throws -> Transcript {
      try Kist.run(["audit", "verify", log, "--key", key, "--checkpoint", file] + more)
    }
    let given = try kept(8)
    let other = try kept(9)
    #expect(
      try verify(given).output.hasSuffix(
        "  newer        \(size - 8) records since the checkpoint\n"))
    let words = ["audit", "prune", log, "--before", "2024-12-31", "--key", key, "--checkpoint"]
    let forged = try kept(8, root: SHA256.hash([]))
    #expect(
      try Kist.run(words + [given, "--checkpoint", forged]).code == 1,
      "of a log that is not the checkpoint's nothing is removed")
    #expect(try Kist.run(words + [given]).code == 0)
    let good = try verify(given)
    #expect(
      good.code == 0 && good.output.contains(": good\n")
        && good.output.hasSuffix("  newer        \(size - 8) records since the checkpoint\n"))
    for file in [other, forged] {
      let answer = try verify(file)
      let records: UInt64 = file == other ? 9 : 8
      #expect(answer.code == 6)
      #expect(
        answer.output.contains(
          ": NOT COMPARED: the checkpoint of \(records) records is older than the oldest record, "))
      let json = try verify(file, "--json")
      #expect(
        json.code == 6 && json.output.contains("\"newer_records\":\(size - records),\"ok\":false,"),
        "\(json)")
      let report = try Kist.run([
        "audit", "report", log, "--since", "2023-01-01", "--key", key, "--checkpoint", file,
      ])
      #expect(
        report.code == 6 && report.output.contains("was NOT COMPARED")
          && !report.output.contains("so is the checkpoint"), "\(report)")
    }
    let report = try Kist.run([
      "audit", "report", log, "--since", "2023-01-01", "--key", key, "--checkpoint", given,
    ])
    #expect(
      report.code == 0
        && report.output.contains(
          "by its proofs the log begins with that of 8 records kept elsewhere")
    )
    #expect(
      report.output.contains(
        "Records since then: \(size - 8); whether there were more is not known."))
  }

  @Test func aDamagedSegmentIsNamed() throws {
    _ = try compress()
    let file = URL(fileURLWithPath: log + "/" + (try #require(try files.first)))
    try Data(contentsOf: file).dropLast(9).write(to: file)
    let verified = try Kist.run(["audit", "verify", log, "--key", key])
    #expect(verified.code == 1)
    #expect(
      verified.output.hasPrefix(
        "\(log): TAMPERED WITH at record 0: the compressed segment that begins there is cut short or damaged\n"
      ))
    #expect(
      try Kist.run(["audit", "show", log])
        == Transcript(
          code: 1,
          complaint:
            "kist audit show: \(log): a compressed segment is cut short or damaged; see kist audit verify\n"
        ))
    #expect(try compress().code == 1)
  }

  @Test func ofALogThatIsNotGoodNothingIsCompressed() throws {
    let file = URL(fileURLWithPath: log + "/" + (try #require(try files.dropFirst().first)))
    var bytes = try Data(contentsOf: file)
    bytes[300] ^= 1
    try bytes.write(to: file)
    let before = try files
    let answer = try compress()
    #expect(
      answer.code == 1
        && answer.complaint.hasPrefix("kist audit compress: \(log): TAMPERED WITH at record "))
    #expect(try files == before)
    #expect(try Kist.run(["audit", "compress", log, "--key", key]).code == 2)
    #expect(
      try Kist.run(["audit", "compress", "/nowhere", "--before", "2024-12-31", "--key", key]).code
        == 66)
  }
}
