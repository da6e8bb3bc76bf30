import Audit
import CryptoBackend
import Encoding
import Foundation
import TestSupport
import Testing

/// The commands that read a log, on one of five records under four checkpoints.
@Suite struct AuditCommandTests {
  private let scratch: Scratch
  private let key: String
  private let checkpoint: [UInt8]
  private var log: String { scratch.path + "/audit" }

  init() throws {
    try #require(TestArena.ready)
    scratch = try Scratch()
    let directory = scratch.path + "/audit"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let signer = try NoteSigner(name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    key = signer.verifier.vkey
    let boot = try #require(BootID("0123456789abcdef0123456789abcdef"))
    let digest = SHA256.hash([])
    let settings = AuditSettings(boot: boot, clock: { Timestamp(seconds: 1_800_000_000) })
    let log = try AuditLog(LogDirectory(directory), signer: signer, start: StartFacts(policy: digest, configuration: digest), settings: settings)
    for _ in 0..<3 {
      var batch = Batch()
      batch.add(Attempt(.keyStoreLocked))
      _ = try log.commit(batch)
    }
    checkpoint = try Checkpoint(origin: signer.verifier.name, head: log.head).signed(by: signer)
    try log.close()
  }

  private var segment: URL {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasSuffix(".log") }
      return URL(fileURLWithPath: log + "/" + (try #require(names.first)))
    }
  }

  private func verify(_ options: String...) throws -> Transcript { try Kist.run(["audit", "verify", log, "--key", key] + options) }

  private func change(_ body: (inout Data) throws -> Void) throws {
    var bytes = try Data(contentsOf: segment)
    try body(&bytes)
    try bytes.write(to: segment)
  }

  @Test func aGoodLog() throws {
    let answer = try verify()
    #expect((answer.code, answer.complaint) == (0, ""))
    #expect(answer.output.hasPrefix("\(log): good\n  records      6, from sequence 0\n  root         "))
    let json = try verify("--json")
    #expect(json.code == 0)
    #expect(json.output.contains("\"ok\":true,\"root\":\""))
    #expect(json.output.hasSuffix("\"size\":6,\"uncovered_records\":0,\"verdict\":\"good\"}\n"))
  }

  @Test func theKeyFromAFile() throws {
    let file = try scratch.write("vkey", key + "\n")
    #expect(try Kist.run(["audit", "verify", log, "--key", file]).code == 0)
  }

  @Test func aCheckpointKeptElsewhere() throws {
    let file = scratch.path + "/checkpoint"
    try Data(checkpoint).write(to: URL(fileURLWithPath: file))
    #expect(try verify("--checkpoint", file).code == 0)
    // Back to before the second batch.
    try change { bytes in
      let second = try #require(bytes.range(of: Data("\"seq\":3".utf8)))
      let start = try #require(bytes[..<second.lowerBound].lastIndex(of: UInt8(ascii: "\n")))
      bytes = bytes[...start]
    }
    #expect(try verify().code == 0)
    let cut = try verify("--checkpoint", file)
    #expect(cut.code == 3)
    #expect(cut.output.hasPrefix("\(log): TRUNCATED: 3 records, where there were 5\n"))
  }

  @Test func aChangedRecord() throws {
    try change { bytes in bytes.replaceSubrange(try #require(bytes.range(of: Data("locked".utf8))), with: Data("lacked".utf8)) }
    let answer = try verify()
    #expect((answer.code, answer.complaint) == (1, ""))
    #expect(answer.output.hasPrefix("\(log): TAMPERED WITH at record "))
    #expect(try verify("--json").output.contains("\"verdict\":\"tampered\""))
  }

  @Test func aTornEnd() throws {
    try change { $0.append(Data("{\"boot\":".utf8)) }
    let answer = try verify()
    #expect(answer.code == 4)
    #expect(answer.output.hasPrefix("\(log): torn: 8 bytes and 0 whole records follow the last checkpoint"))
  }

  @Test func anotherKey() throws {
    let other = try NoteSigner(name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 8, count: 32).span)).verifier.vkey
    #expect(try Kist.run(["audit", "verify", log, "--key", other]).output.contains(": a checkpoint is signed by another name or key\n"))
  }

  @Test func whatCannotBeRead() throws {
    let absent = try Kist.run(["audit", "verify", "/nowhere", "--key", key])
    #expect((absent.code, absent.output) == (66, "/nowhere: cannot be read: No such file or directory\n  checkpoints  0\n  segments     0\n"))
    let noKey = try Kist.run(["audit", "verify", log, "--key", "/nowhere"])
    #expect(noKey == Transcript(code: 66, complaint: "kist audit verify: /nowhere: No such file or directory\n"))
    #expect(try Kist.run(["audit", "verify", log, "--key", "a+b"]).code == 66)
    let file = try scratch.write("note", "none")
    #expect(try verify("--checkpoint", file) == Transcript(code: 66, complaint: "kist audit verify: \(file): no checkpoint\n"))
    #expect(try Kist.run(["audit", "verify", log]).code == 2)
  }

  private func export(_ options: String...) throws -> (path: String, answer: Transcript) {
    let path = scratch.path + "/export-\(UUID().uuidString)"
    return (path, try Kist.run(["audit", "export", log, path, "--key", key] + options))
  }

  @Test func anExport() throws {
    try FileManager.default.createDirectory(atPath: scratch.path + "/policy", withIntermediateDirectories: false)
    try scratch.write("policy/a.toml", "# nothing\n")
    try scratch.write("policy/.a.toml.swp", "left behind\n")
    let transcript = try scratch.write("ceremony.txt", "two custodians\n")
    let (path, answer) = try export("--policy", scratch.path + "/policy", "--transcript", transcript)
    #expect((answer.code, answer.complaint) == (0, ""))
    #expect(answer.output.hasPrefix("\(path): good\n  records      6, from sequence 0\n"))
    #expect(
      FileManager.default.subpaths(atPath: path).map { $0.filter { $0.hasPrefix("policy/") || $0.hasPrefix("transcripts/") } }?.sorted() == [
        "policy/a.toml", "transcripts/ceremony.txt",
      ])
    let good = try Kist.run(["audit", "verify", path, "--key", path + "/vkey", "--json"])
    #expect(good.code == 0)
    #expect(good.output.contains("\"tiles\":2"))
    // One byte of a tile.
    let tile = URL(fileURLWithPath: path + "/tile/0/000.p/6")
    var bytes = try Data(contentsOf: tile)
    bytes[40] ^= 1
    try bytes.write(to: tile)
    let bad = try Kist.run(["audit", "verify", path, "--key", key])
    #expect(bad == Transcript(code: 1, complaint: "kist audit verify: \(path)/tile/0/000.p/6: not what the log's entries give\n"))
    try FileManager.default.removeItem(at: tile)
    #expect(try Kist.run(["audit", "verify", path, "--key", key]).code == 66)
  }

  @Test func whatIsNotExported() throws {
    try change { bytes in bytes.replaceSubrange(try #require(bytes.range(of: Data("locked".utf8))), with: Data("lacked".utf8)) }
    let (path, answer) = try export()
    #expect(answer.code == 1)
    #expect(answer.complaint.hasPrefix("kist audit export: \(log): TAMPERED WITH at record "))
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try Kist.run(["audit", "export", "/nowhere", path, "--key", key]).code == 66)
    #expect(try Kist.run(["audit", "export", log, "--key", key]).code == 2)
  }

  @Test func aProofOfARecord() throws {
    let text = try Kist.run(["audit", "prove", log, "3", "--key", key]).output
    let file = try scratch.write("3.tlog-proof", text)
    let good = try Kist.run(["audit", "verify", file, "--key", key])
    #expect((good.code, good.complaint) == (0, ""))
    #expect(good.output.hasPrefix("\(file): good: record 3 of 6\n2027-01-15T08:00:00.000000Z  #3"))
    let changed = try scratch.write("changed", text.replacingOccurrences(of: "\nindex 3\n", with: "\nindex 2\n"))
    #expect(
      try Kist.run(["audit", "verify", changed, "--key", key]) == Transcript(code: 1, complaint: "kist audit verify: \(changed): the proof is not true\n"))
    let none = try scratch.write("none", "a letter\n")
    #expect(try Kist.run(["audit", "verify", none, "--key", key]).code == 66)
    #expect(try Kist.run(["audit", "prove", log, "6", "--key", key]).code == 1)
    #expect(try Kist.run(["audit", "prove", log, "x", "--key", key]).code == 2)
    #expect(try Kist.run(["audit", "prove", log, "--key", key]).code == 2)
  }

  @Test("a proof is compared with the checkpoint that was kept") func aProofAndAKeptCheckpoint() throws {
    let file = try scratch.write("3.tlog-proof", try Kist.run(["audit", "prove", log, "3", "--key", key]).output)
    let kept = try scratch.write("kept", try Kist.run(["audit", "checkpoint", log, "--key", key]).output)
    #expect(try Kist.run(["audit", "verify", file, "--key", key, "--checkpoint", kept]).code == 0)
    let signer = try NoteSigner(name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    let forked = try Checkpoint(origin: "kist.test/audit", head: TreeHead(size: 6, root: SHA256.hash([]))).signed(by: signer)
    for (name, note, complaint) in [
      ("older", checkpoint, "it is of a checkpoint of 6 records, --checkpoint of 5"), ("forked", forked, "another root than --checkpoint of the same size"),
    ] {
      let other = try scratch.write(name, String(decoding: note, as: UTF8.self))
      let refused = try Kist.run(["audit", "verify", file, "--key", key, "--checkpoint", other])
      #expect(refused.code == 1 && refused.output.isEmpty && refused.complaint.contains(complaint), "\(refused)")
    }
  }

  @Test("a pipe or a device is refused at once, not waited for") func pipes() throws {
    let pipe = scratch.path + "/pipe"
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "/dev/zero"] {
      for arguments in [[path, "--key", key], [log, "--key", path], [log, "--key", key, "--checkpoint", path], [log, "--key", key, "--witnesses", path]] {
        let answer = try Kist.run(["audit", "verify"] + arguments)
        #expect(answer.code != 0 && answer.complaint.contains("\(path): not a regular file"), "\(arguments): \(answer.complaint)")
      }
    }
    let segment = try #require(try FileManager.default.contentsOfDirectory(atPath: log).first { $0.hasSuffix(".log") })
    let copy = scratch.path + "/piped"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    try #require(unsafe mkfifo(copy + "/" + segment, 0o600) == 0)
    #expect(try Kist.run(["audit", "verify", copy, "--key", key]).code == 66)
  }

  @Test func aProofOfGrowth() throws {
    let old = scratch.path + "/old"
    try Data(checkpoint).write(to: URL(fileURLWithPath: old))
    let file = try scratch.write("growth", try Kist.run(["audit", "prove", log, "--from", old, "--key", key]).output)
    #expect(
      try Kist.run(["audit", "verify", file, "--key", key, "--checkpoint", old]) == Transcript(output: "\(file): good: the log grew from 5 records to 6\n"))
    #expect(try Kist.run(["audit", "verify", file, "--key", key]).code == 2)
    #expect(try Kist.run(["audit", "prove", log, "3", "--from", old, "--key", key]).code == 2)
  }

  @Test func witnesses() throws {
    let old = scratch.path + "/old"
    try Data(checkpoint).write(to: URL(fileURLWithPath: old))
    let nobody = try scratch.write("nobody", "quorum none\n")
    let somebody = try scratch.write("somebody", "witness a witness.example.org+b8a2cf20+BFLN3yikSfFkVAJtrnh/CiY3Zozkoy7clp+P7XB28qUN\nquorum a\n")
    let good = try verify("--checkpoint", old, "--witnesses", nobody)
    #expect(good.code == 0)
    #expect(good.output.hasSuffix("  unwitnessed  1 records since the checkpoint\n"))
    #expect(try verify("--checkpoint", old, "--witnesses", nobody, "--json").output.contains("\"unwitnessed_records\":1"))
    #expect(try verify("--checkpoint", old, "--witnesses", somebody).code == 5)
    #expect(try verify("--witnesses", somebody).code == 2)
    let broken = try scratch.write("broken", "quorum a\n")
    #expect(try verify("--checkpoint", old, "--witnesses", broken) == Transcript(code: 66, complaint: "\(broken):1: a name that no line before defines\n"))
  }

  /// One segment, which is in use: there is nothing to remove.
  @Test func pruning() throws {
    let none = try Kist.run(["audit", "prune", log, "--before", "2030-01-01", "--key", key])
    #expect(none == Transcript(output: "nothing of \(log) is older\n"))
    #expect(try Kist.run(["audit", "prune", log, "--before", "2030-01-01", "--key", key, "--json", "--dry-run"]).output == "{\"segments\":[],\"size\":0}\n")
    #expect(try Kist.run(["audit", "prune", log, "--before", "soon", "--key", key]).code == 2)
    #expect(try Kist.run(["audit", "prune", log, "--key", key]).code == 2)
    try change { $0.append(Data("{\"boot\":".utf8)) }
    #expect(try Kist.run(["audit", "prune", log, "--before", "2030-01-01", "--key", key]).code == 4)
  }

  @Test func theNewestCheckpoint() throws {
    let answer = try Kist.run(["audit", "checkpoint", log, "--key", key])
    #expect((answer.code, answer.complaint) == (0, ""))
    #expect(answer.output.hasPrefix("kist.test/audit\n6\n"))
    let file = try scratch.write("checkpoint", answer.output)
    #expect(try verify("--checkpoint", file).code == 0)
    let other = try NoteSigner(name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 8, count: 32).span)).verifier.vkey
    #expect(
      try Kist.run(["audit", "checkpoint", log, "--key", other])
        == Transcript(code: 1, complaint: "kist audit checkpoint: \(log): the checkpoint is signed by another log\n"))
    #expect(try Kist.run(["audit", "checkpoint", "/nowhere", "--key", key]).code == 1)
  }

  @Test func linesOfNoWitnessAreNotAdded() throws {
    let note = try scratch.write("note", try Kist.run(["audit", "checkpoint", log, "--key", key]).output)
    let policy = try scratch.write("policy", "witness a witness.example.org+b8a2cf20+BFLN3yikSfFkVAJtrnh/CiY3Zozkoy7clp+P7XB28qUN\nquorum a\n")
    let stranger = try scratch.write(
      "stranger", "\u{2014} witness.example.org uKLPIAAAAABpVGeAhm2bOvKc3LaB9PFN1ruG19Y5yqslmcAAbhftnn1Zznmo0LXFZq4LGvqKqLX8jWlwLKasxEGTLIqAVusneCBmBw==\n")
    for lines in [stranger, try scratch.write("empty", ""), try scratch.write("text", "a letter\n")] {
      #expect(try Kist.run(["audit", "cosign", note, lines, "--key", key, "--witnesses", policy]).code == 1)
    }
    #expect(try Kist.run(["audit", "cosign", note, stranger, "--key", key]).code == 2)
  }

  @Test func tail() throws {
    let all = try Kist.run(["audit", "tail", log])
    #expect((all.code, all.complaint) == (0, ""))
    let lines = all.output.split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { $0.hasPrefix("2027-01-15T08:00:00.") })
    #expect(try Kist.run(["audit", "tail", log, "-n", "2"]).output.split(separator: "\n") == lines.suffix(2))
    #expect(try Kist.run(["audit", "tail", log, "--lines=0"]).output.isEmpty)
    let started = try Kist.run(["audit", "show", log, "--op", "start"]).output
    #expect(!started.isEmpty)
    #expect(try Kist.run(["audit", "tail", log, "--op", "start"]).output == started)
    #expect(try Kist.run(["audit", "tail", log, "-n", "1", "--csv"]).output.split(separator: "\r\n").count == 2)
    #expect(try Kist.run(["audit", "tail", log, "--json", "--csv"]).code == 2)
    #expect(try Kist.run(["audit", "tail", log + "/nothing"]).code == 1)
  }

  @Test func show() throws {
    let records = try Kist.run(["audit", "show", log, "--json"]).output.split(separator: "\n")
    #expect(records.count == 6)
    #expect(records.allSatisfy { (try? CanonicalJSON(parsing: Array($0.utf8).span, byteLimit: 8192)) != nil })
    #expect(try Kist.run(["audit", "show", log, "3", "--json"]).output == records[3] + "\n")
    #expect(try Kist.run(["audit", "show", log, "--since", "2027-01-15"]).output.split(separator: "\n").count == 6)
    #expect(try Kist.run(["audit", "show", log, "--since", "2027-01-15T08:00:01Z"]) == Transcript())
    #expect(try Kist.run(["audit", "show", log, "6"]) == Transcript(code: 1, complaint: "kist audit show: \(log): no record 6\n"))
    #expect(try Kist.run(["audit", "show", "/nowhere"]) == Transcript(code: 1, complaint: "kist audit show: /nowhere: No such file or directory\n"))
  }

  @Test func showFiltered() throws {
    #expect(try Kist.run(["audit", "show", log, "--op", "key-store-locked"]).output.split(separator: "\n").count == 3)
    #expect(try Kist.run(["audit", "show", log, "--op", "key-store-locked", "--until", "2027-01-15"]) == Transcript())
    #expect(try Kist.run(["audit", "show", log, "--user", "0"]) == Transcript())
    let rows = try Kist.run(["audit", "show", log, "--op", "start", "--csv"]).output.components(separatedBy: "\r\n")
    #expect(rows.count == 3)
    #expect(rows[0].hasPrefix("sequence,time,operation,") && rows[1].contains(",start,"))
    #expect(try Kist.run(["audit", "show", log, "--user", "no-such-user"]).code == 1)
  }

  @Test func report() throws {
    let page = scratch.path + "/page.html"
    let words = ["audit", "report", log, "--since", "2027-01-15", "--key", key]
    let text = try Kist.run(words)
    #expect((text.code, text.complaint) == (0, ""))
    #expect(text.output.hasPrefix("\(log): Verified: every record is in its place under a signed checkpoint; 6 records, root "))
    #expect(text.output.contains("\nKeys, policy and the daemon\n  key-store-locked  3\n  start             1\n  stop              1\n"))
    #expect(try Kist.run(words + ["--json"]).output.contains("\"events\":[[\"key-store-locked\",3],[\"start\",1],[\"stop\",1]]"))
    #expect(try Kist.run(words + ["--html", page]) == Transcript())
    #expect(try String(contentsOfFile: page, encoding: .utf8).hasSuffix("</html>\n"))
    #expect(try Kist.run(["audit", "report", log, "--since", "2027-01-15"]).output.contains(": Not verified: "))
    let keys = try scratch.write("keys.json", "{\"keys\":[]}\n")
    #expect(try Kist.run(words + ["--keys", keys]).output.contains("Keys that end soon\n  None.\n"))
    let bad = try scratch.write("bad.json", "[]")
    #expect(try Kist.run(words + ["--keys", bad]) == Transcript(code: 1, complaint: "kist audit report: \(bad): not what kist key list --json prints\n"))
  }

  @Test func reportOfAChangedRecord() throws {
    try change { bytes in bytes.replaceSubrange(try #require(bytes.range(of: Data("locked".utf8))), with: Data("lacked".utf8)) }
    let counted = try Kist.run(["audit", "report", log, "--since", "2027-01-15", "--key", key])
    #expect(counted.code == 1)
    #expect(counted.output.hasPrefix("\(log): NOT GOOD: the log was tampered with at record "))
    try change { bytes in bytes.replaceSubrange(try #require(bytes.range(of: Data("\"op\":\"start".utf8))), with: Data("\"op\":{start".utf8)) }
    let uncounted = try Kist.run(["audit", "report", log, "--since", "2027-01-15", "--key", key])
    #expect((uncounted.code, uncounted.output) == (1, ""))
    #expect(uncounted.complaint.contains("NOT GOOD: "))
  }

  @Test(arguments: [[], ["--since", "x"], ["--since", "2027-01-15", "--until", "2027-01-15"], ["--since", "2027-01-15", "x"]]) func reportWhatMakesNoSense(
    _ arguments: [String]
  ) throws {
    #expect(try Kist.run(["audit", "report", log] + arguments).code == 2)
  }

  @Test func showAChangedRecord() throws {
    try change { bytes in bytes.replaceSubrange(try #require(bytes.range(of: Data("\"op\":\"start".utf8))), with: Data("\"op\":{start".utf8)) }
    let answer = try Kist.run(["audit", "show", log])
    #expect((answer.code, answer.complaint) == (1, "kist audit show: \(log): a line is no record; see kist audit verify\n"))
  }

  @Test(arguments: [
    ["x"], ["--since", "yesterday"], ["--until", "now"], ["1", "--since", "2027-01-15"], ["1", "--op", "start"], ["1", "2"], ["--result", "well"],
    ["--key", "a//b"],
    ["--digest", "ab"], ["--json", "--csv"],
  ]) func showWhatMakesNoSense(_ arguments: [String]) throws {
    #expect(try Kist.run(["audit", "show", log] + arguments).code == 2)
  }
}
