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

  @Test func tail() throws {
    let all = try Kist.run(["audit", "tail", log])
    #expect((all.code, all.complaint) == (0, ""))
    let lines = all.output.split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { $0.hasPrefix("2027-01-15T08:00:00.") })
    #expect(try Kist.run(["audit", "tail", log, "-n", "2"]).output.split(separator: "\n") == lines.suffix(2))
    #expect(try Kist.run(["audit", "tail", log, "--lines=0"]).output.isEmpty)
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
