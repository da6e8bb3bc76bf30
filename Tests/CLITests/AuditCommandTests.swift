import Audit
import Crypto
import Format
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
    let signer = try NoteSigner(
      name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    key = signer.verifier.vkey
    let boot = try #require(BootID("0123456789abcdef0123456789abcdef"))
    let digest = SHA256.hash([])
    let settings = AuditSettings(boot: boot, clock: { Timestamp(seconds: 1_800_000_000) })
    let policy = SHA256.hash(
      Array("# kist policy, canonical form 1\n# no grants: everything is denied\n".utf8))
    let log = try AuditLog(
      LogDirectory(directory), signer: signer,
      start: StartFacts(policy: policy, configuration: digest), settings: settings)
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
      let names = try FileManager.default.contentsOfDirectory(atPath: log).filter {
        $0.hasSuffix(".log")
      }
      return URL(fileURLWithPath: log + "/" + (try #require(names.first)))
    }
  }

  private func verify(_ options: String...) throws -> Transcript {
    try Kist.run(["audit", "verify", log, "--key", key] + options)
  }

  private func change(_ body: (inout Data) throws -> Void) throws {
    var bytes = try Data(contentsOf: segment)
    try body(&bytes)
    try bytes.write(to: segment)
  }

  @Test func aGoodLog() throws {
    let answer = try verify()
    #expect((answer.code, answer.complaint) == (0, ""))
    #expect(
      answer.output.hasPrefix("\(log): good\n  records      6, from sequence 0\n  root         "))
    let json = try verify("--json")
    #expect(json.code == 0)
    #expect(json.output.contains("\"ok\":true,\"root\":\""))
    #expect(json.output.hasSuffix("\"size\":6,\"uncovered_records\":0,\"verdict\":\"good\"}\n"))
  }

  @Test func theKeyFromAFile() throws {
    let file = try scratch.write("vkey", key + "\n")
    #expect(try Kist.run(["audit", "verify", log, "--key", file]).code == 0)
  }

  /// Back to before the second batch.
  private func cutToTheSecondBatch() throws {
    try change { bytes in
      let second = try #require(bytes.range(of: Data("\"seq\":3".utf8)))
      let start = try #require(bytes[..<second.lowerBound].lastIndex(of: UInt8(ascii: "\n")))
      bytes = bytes[...start]
    }
  }

  @Test func aCheckpointKeptElsewhere() throws {
    let file = scratch.path + "/checkpoint"
    try Data(checkpoint).write(to: URL(fileURLWithPath: file))
    #expect(try verify("--checkpoint", file).code == 0)
    try cutToTheSecondBatch()
    #expect(try verify().code == 0)
    let cut = try verify("--checkpoint", file)
    #expect(cut.code == 3)
    #expect(cut.output.hasPrefix("\(log): TRUNCATED: 3 records, where there were 5\n"))
  }

  @Test("a checkpoint that is kept is compared, and then is the log's newest")
  func keptForTheNextTime() throws {
    let file = scratch.path + "/kept"
    func keep() throws -> Transcript { try verify("--keep", file) }
    func text() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }
    let first = try keep()
    #expect(
      first.code == 0
        && first.output.hasSuffix("  kept         the checkpoint of 6 records, in \(file)\n"),
      "\(first)")
    #expect(first.output.contains("its end      unknown"))
    let newest = try text()
    try Data(checkpoint).write(to: URL(fileURLWithPath: file))
    let grown = try keep()
    #expect(
      grown.code == 0 && grown.output.contains("  newer        1 records since the checkpoint\n"),
      "\(grown)")
    #expect(try text() == newest)
    let json = try verify("--keep", file, "--json")
    #expect(json.code == 0 && json.output.hasSuffix("\"verdict\":\"good\"}\n"))
    try cutToTheSecondBatch()
    #expect(try keep().code == 3)
    #expect(try text() == newest, "of a log that is not good nothing is kept")
  }

  @Test("what cannot be kept, and where nothing can be") func notKept() throws {
    let file = try scratch.write("kept", "none")
    #expect(
      try verify("--keep", file)
        == Transcript(code: 66, complaint: "kist audit verify: \(file): no checkpoint\n"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "none")
    #expect(try verify("--keep", "/dev/null").code == 66)
    #expect(try verify("--keep", scratch.path + "/none/kept").code == 66)
    for words in [["--keep", file, "--checkpoint", file], ["--keep", file, "--witnesses", file]] {
      #expect(try Kist.run(["audit", "verify", log, "--key", key] + words).code == 2)
    }
    let export = try export()
    #expect(
      try Kist.run(["audit", "verify", export.path, "--key", key, "--keep", scratch.path + "/new"])
        .code == 2)
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/new"))
  }

  @Test func aChangedRecord() throws {
    try change { bytes in
      bytes.replaceSubrange(
        try #require(bytes.range(of: Data("locked".utf8))), with: Data("lacked".utf8))
    }
    let answer = try verify()
    #expect((answer.code, answer.complaint) == (1, ""))
    #expect(answer.output.hasPrefix("\(log): TAMPERED WITH at record "))
    #expect(try verify("--json").output.contains("\"verdict\":\"tampered\""))
  }

  @Test func aTornEnd() throws {
    try change { $0.append(Data("{\"boot\":".utf8)) }
    let answer = try verify()
    #expect(answer.code == 4)
    #expect(
      answer.output.hasPrefix(
        "\(log): torn: 8 bytes and 0 whole records follow the last checkpoint"))
  }

  @Test func anotherKey() throws {
    let other = try NoteSigner(
      name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 8, count: 32).span)
    ).verifier.vkey
    #expect(
      try Kist.run(["audit", "verify", log, "--key", other]).output.contains(
        ": a checkpoint is signed by another name or key\n"))
  }

  @Test func whatCannotBeRead() throws {
    let absent = try Kist.run(["audit", "verify", "/nowhere", "--key", key])
    #expect(
      (absent.code, absent.output) == (
        66,
        "/nowhere: cannot be read: No such file or directory\n  checkpoints  0\n  segments     0\n"
      ))
    let noKey = try Kist.run(["audit", "verify", log, "--key", "/nowhere"])
    #expect(
      noKey
        == Transcript(
          code: 66, complaint: "kist audit verify: /nowhere: No such file or directory\n"))
    #expect(try Kist.run(["audit", "verify", log, "--key", "a+b"]).code == 66)
    let file = try scratch.write("note", "none")
    #expect(
      try verify("--checkpoint", file)
        == Transcript(code: 66, complaint: "kist audit verify: \(file): no checkpoint\n"))
    #expect(try Kist.run(["audit", "verify", log]).code == 2)
  }

  private func export(_ options: String...) throws -> (path: String, answer: Transcript) {
    let path = scratch.path + "/export-\(UUID().uuidString)"
    return (path, try Kist.run(["audit", "export", log, path, "--key", key] + options))
  }

  @Test func anExport() throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/policy", withIntermediateDirectories: false)
    try scratch.write("policy/a.toml", "# nothing\n")
    try scratch.write("policy/.a.toml.swp", "left behind\n")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: scratch.path + "/policy/a.toml")
    let transcript = try scratch.write("ceremony.txt", "two custodians\n")
    let (path, answer) = try export(
      "--policy", scratch.path + "/policy", "--transcript", transcript)
    #expect((answer.code, answer.complaint) == (0, ""))
    #expect(answer.output.hasPrefix("\(path): good\n  records      6, from sequence 0\n"))
    #expect(
      FileManager.default.subpaths(atPath: path).map {
        $0.filter { $0.hasPrefix("policy/") || $0.hasPrefix("transcripts/") }
      }?.sorted() == [
        "policy/policy.toml", "transcripts/ceremony.txt",
      ])
    let good = try Kist.run(["audit", "verify", path, "--key", path + "/vkey", "--json"])
    #expect(good.code == 0)
    #expect(good.output.contains("\"tiles\":2,\"unchecked\":[\"transcripts/\"]"))
    #expect(
      good.output.contains(
        "\"policies\":{\"policy/policy.toml\":\"in force at the end of the log\"}"))
    // One byte of a tile.
    let tile = URL(fileURLWithPath: path + "/tile/0/000.p/6")
    var bytes = try Data(contentsOf: tile)
    bytes[40] ^= 1
    try bytes.write(to: tile)
    let bad = try Kist.run(["audit", "verify", path, "--key", key])
    #expect(
      bad
        == Transcript(
          code: 1,
          complaint: "kist audit verify: \(path)/tile/0/000.p/6: not what the log's entries give\n")
    )
    try FileManager.default.removeItem(at: tile)
    #expect(try Kist.run(["audit", "verify", path, "--key", key]).code == 66)
  }

  @Test(
    "[AUD-EXP-4] an export whose policy, checkpoints or key were edited is not good",
    arguments: ["policy/policy.toml", "checkpoints/6", "vkey"])
  func anEditedExport(_ name: String) throws {
    let policy = scratch.path + "/policy"
    try FileManager.default.createDirectory(atPath: policy, withIntermediateDirectories: false)
    let file = try scratch.write(
      "policy/a.toml", "[[grant]]\nid = \"a\"\nusers = [5]\noperations = [\"random\"]\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    let (none, refused) = try export("--policy", policy)
    #expect(
      refused.code == 1
        && refused.complaint.contains("\(policy): a policy that the log does not name"),
      "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: none))
    try scratch.write("policy/a.toml", "# nothing\n")
    let (path, _) = try export("--policy", policy)
    let edited = URL(fileURLWithPath: path + "/" + name)
    var bytes = try Data(contentsOf: edited)
    bytes.append(Data("# and more\n".utf8))
    try bytes.write(to: edited)
    let answer = try Kist.run(["audit", "verify", path, "--key", key])
    #expect(
      answer
        == Transcript(
          code: 1, complaint: "kist audit verify: \(path)/\(name): changed, or not of this log\n"))
    let report = try Kist.run(["audit", "report", path, "--since", "2027-01-15", "--key", key])
    #expect(
      report.code == 1
        && report.output.hasPrefix("\(path): NOT GOOD: \(name): changed, or not of this log.\n"),
      "\(report)")
  }

  @Test("every command that reads a log takes an export as well as the log in it")
  func readingAnExport() throws {
    let (path, _) = try export()
    let commands = [
      ["show", "DIR"], ["show", "DIR", "3"], ["tail", "DIR"], ["prove", "DIR", "3", "--key", key],
      ["checkpoint", "DIR", "--key", key], ["review", "DIR"],
      ["report", "DIR", "--since", "2027-01-15"],
    ]
    // Whatever it is called, and whenever a report is made.
    func run(_ words: [String], on directory: String) throws -> Transcript {
      var answer = try Kist.run(["audit"] + words.map { $0 == "DIR" ? directory : $0 })
      answer.output = answer.output.replacing("\(directory): ", with: "LOG: ").replacing(
        /Made at [0-9T:-]+Z/, with: "Made")
      return answer
    }
    for words in commands {
      let ofLog = try run(words, on: log)
      for directory in [path, path + "/log"] {
        let answer = try run(words, on: directory)
        #expect(answer == ofLog && answer.code == 0, "\(words)")
      }
    }
    #expect(try Kist.run(["audit", "verify", path + "/log", "--key", key]).code == 0)
    let report = ["audit", "report", path, "--since", "2027-01-15", "--key", key]
    #expect(try Kist.run(report).output.hasPrefix("\(path): Verified, except for its end: "))
    #expect(try Kist.run(report + ["--checkpoint", path]).output.hasPrefix("\(path): Verified: "))
    // What removes or compresses is for the host's log alone.
    #expect(
      try Kist.run(["audit", "prune", path, "--before", "2030-01-01", "--key", key]).code == 66)
  }

  @Test("[AUD-EXP-5] a checkpoint from after the export is named as that")
  func aCheckpointFromAfterTheExport() throws {
    let signer = try NoteSigner(
      name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    let later = try Checkpoint(
      origin: "kist.test/audit", head: TreeHead(size: 9, root: SHA256.hash([]))
    ).signed(by: signer)
    let file = try scratch.write("later", String(decoding: later, as: UTF8.self))
    let (path, _) = try export()
    let why = "it ends before --checkpoint"
    let answer = try Kist.run(["audit", "verify", path, "--key", key, "--checkpoint", file])
    #expect(
      answer.code == 3
        && answer.complaint.contains(
          "\(path): \(why): its 6 records are good, the checkpoint has 9"),
      "\(answer)")
    let report = try Kist.run([
      "audit", "report", path, "--since", "2027-01-15", "--key", key, "--checkpoint", file,
    ])
    #expect(
      report.code == 3 && report.output.contains("NOT GOOD: ") && report.output.contains(why),
      "\(report)")
    #expect(
      try Kist.run(["audit", "prove", path, "3", "--key", key, "--checkpoint", file]).complaint
        .contains(why))
    #expect(!(answer.complaint + report.output).contains("TRUNCATED"))
    // Of a log that is there, records are missing.
    #expect(
      try verify("--checkpoint", file).output.contains("TRUNCATED: 6 records, where there were 9"))
  }

  @Test("a record that was taken away with its segment is named as that") func aPrunedRecord()
    throws
  {
    let pruned = scratch.path + "/pruned"
    try FileManager.default.createDirectory(atPath: pruned, withIntermediateDirectories: false)
    let line = try #require(
      try Kist.run(["audit", "show", log, "3", "--json"]).output.split(separator: "\n").first)
    try scratch.write(
      "pruned/00000000000000000040.log", line.replacing("\"seq\":3", with: "\"seq\":40") + "\n")
    #expect(try Kist.run(["audit", "show", pruned, "40"]).code == 0)
    let complaint =
      "kist audit show: \(pruned): record 3 was removed with its segment; the log begins with record 40\n"
    #expect(
      try Kist.run(["audit", "show", pruned, "3"]) == Transcript(code: 1, complaint: complaint))
    #expect(
      try Kist.run(["audit", "show", pruned, "41"]).complaint
        == "kist audit show: \(pruned): no record 41\n")
  }

  @Test("--transcript takes a ceremony's directory whole, and no other") func aCeremonysDirectory()
    throws
  {
    for folder in ["first", "first/outputs", "first/transcript-1", "other"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path + "/" + folder, withIntermediateDirectories: false)
    }
    for name in [
      "first/ceremony.toml", "first/outputs/a.pem", "first/transcript-1/00000000000000000000.log",
      "other/a",
    ] { try scratch.write(name, name) }
    let (path, answer) = try export("--transcript", scratch.path + "/first/")
    #expect(answer.code == 0, "\(answer)")
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: path + "/transcripts/first").sorted()
        == [
          "ceremony.toml", "outputs", "outputs/a.pem", "transcript-1",
          "transcript-1/00000000000000000000.log",
        ])
    #expect(
      try Kist.run(["audit", "verify", path, "--key", key]).output.contains(
        "  unchecked  transcripts/\n"))
    #expect(
      try export("--transcript", scratch.path + "/other").answer.complaint.contains(
        "not a ceremony's directory"))
    #expect(
      try export("--transcript", scratch.path + "/first", "--transcript", scratch.path + "/first/")
        .answer.code == 2)
    #expect(try export("--transcript", scratch.path + "/first/..").answer.code == 2)
    // Whoever made the directory does not choose what else of this machine an auditor is given.
    for (link, target) in [("first/link", "ceremony.toml"), ("first/transcript-1/link", "/etc")] {
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path + "/" + link, withDestinationPath: target)
      let refused = try export("--transcript", scratch.path + "/first").answer
      #expect(
        (
          refused.code,
          refused.complaint.contains(link + ": a symbolic link, which is not followed here")
        ) == (66, true), "\(refused)")
      try FileManager.default.removeItem(atPath: scratch.path + "/" + link)
    }
  }

  @Test func whatIsNotExported() throws {
    try change { bytes in
      bytes.replaceSubrange(
        try #require(bytes.range(of: Data("locked".utf8))), with: Data("lacked".utf8))
    }
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
    let changed = try scratch.write(
      "changed", text.replacingOccurrences(of: "\nindex 3\n", with: "\nindex 2\n"))
    #expect(
      try Kist.run(["audit", "verify", changed, "--key", key])
        == Transcript(code: 1, complaint: "kist audit verify: \(changed): the proof is not true\n"))
    let none = try scratch.write("none", "a letter\n")
    #expect(try Kist.run(["audit", "verify", none, "--key", key]).code == 66)
    #expect(try Kist.run(["audit", "prove", log, "6", "--key", key]).code == 1)
    #expect(try Kist.run(["audit", "prove", log, "x", "--key", key]).code == 2)
    #expect(try Kist.run(["audit", "prove", log, "--key", key]).code == 2)
  }

  @Test("a proof is compared with the checkpoint that was kept") func aProofAndAKeptCheckpoint()
    throws
  {
    let file = try scratch.write(
      "3.tlog-proof", try Kist.run(["audit", "prove", log, "3", "--key", key]).output)
    let kept = try scratch.write(
      "kept", try Kist.run(["audit", "checkpoint", log, "--key", key]).output)
    #expect(try Kist.run(["audit", "verify", file, "--key", key, "--checkpoint", kept]).code == 0)
    let signer = try NoteSigner(
      name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    let forked = try Checkpoint(
      origin: "kist.test/audit", head: TreeHead(size: 6, root: SHA256.hash([]))
    ).signed(by: signer)
    for (name, note, complaint) in [
      ("older", checkpoint, "its checkpoint has 6 records, --checkpoint has 5"),
      ("forked", forked, "another root than --checkpoint of the same size"),
    ] {
      let other = try scratch.write(name, String(decoding: note, as: UTF8.self))
      let refused = try Kist.run(["audit", "verify", file, "--key", key, "--checkpoint", other])
      #expect(
        refused.code == 1 && refused.output.isEmpty && refused.complaint.contains(complaint),
        "\(refused)")
    }
  }

  @Test("a pipe or a device is refused at once, not waited for") func pipes() throws {
    let pipe = scratch.path + "/pipe"
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "/dev/zero"] {
      for arguments in [
        [path, "--key", key], [log, "--key", path], [log, "--key", key, "--checkpoint", path],
        [log, "--key", key, "--witnesses", path],
      ] {
        let answer = try Kist.run(["audit", "verify"] + arguments)
        #expect(
          answer.code != 0 && answer.complaint.contains("\(path): not a regular file"),
          "\(arguments): \(answer.complaint)")
      }
    }
    let segment = try #require(
      try FileManager.default.contentsOfDirectory(atPath: log).first { $0.hasSuffix(".log") })
    let copy = scratch.path + "/piped"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    try #require(unsafe mkfifo(copy + "/" + segment, 0o600) == 0)
    #expect(try Kist.run(["audit", "verify", copy, "--key", key]).code == 66)
  }

  @Test func aProofOfGrowth() throws {
    let old = scratch.path + "/old"
    try Data(checkpoint).write(to: URL(fileURLWithPath: old))
    let file = try scratch.write(
      "growth", try Kist.run(["audit", "prove", log, "--from", old, "--key", key]).output)
    #expect(
      try Kist.run(["audit", "verify", file, "--key", key, "--checkpoint", old])
        == Transcript(output: "\(file): good: the log grew from 5 records to 6\n"))
    #expect(try Kist.run(["audit", "verify", file, "--key", key]).code == 2)
    #expect(try Kist.run(["audit", "prove", log, "3", "--from", old, "--key", key]).code == 2)
  }

  @Test func witnesses() throws {
    let old = scratch.path + "/old"
    try Data(checkpoint).write(to: URL(fileURLWithPath: old))
    let nobody = try scratch.write("nobody", "quorum none\n")
    let somebody = try scratch.write(
      "somebody",
      "witness a witness.example.org+b8a2cf20+BFLN3yikSfFkVAJtrnh/CiY3Zozkoy7clp+P7XB28qUN\nquorum a\n"
    )
    let good = try verify("--checkpoint", old, "--witnesses", nobody)
    #expect(good.code == 0)
    #expect(good.output.hasSuffix("  newer        1 records since the checkpoint\n"))
    #expect(
      try verify("--checkpoint", old, "--witnesses", nobody, "--json").output.contains(
        "\"newer_records\":1"))
    #expect(try verify("--checkpoint", old, "--witnesses", somebody).code == 5)
    #expect(try verify("--witnesses", somebody).code == 2)
    let broken = try scratch.write("broken", "quorum a\n")
    #expect(
      try verify("--checkpoint", old, "--witnesses", broken)
        == Transcript(code: 66, complaint: "\(broken):1: a name that no line before defines\n"))
  }

  /// One segment, which is in use: there is nothing to remove.
  @Test func pruning() throws {
    let none = try Kist.run(["audit", "prune", log, "--before", "2030-01-01", "--key", key])
    #expect(none == Transcript(output: "nothing of \(log) is older\n"))
    #expect(
      try Kist.run([
        "audit", "prune", log, "--before", "2030-01-01", "--key", key, "--json", "--dry-run",
      ]).output == "{\"segments\":[],\"size\":0}\n")
    #expect(try Kist.run(["audit", "prune", log, "--before", "soon", "--key", key]).code == 2)
    #expect(try Kist.run(["audit", "prune", log, "--key", key]).code == 2)
    try change { $0.append(Data("{\"boot\":".utf8)) }
    #expect(
      try Kist.run(["audit", "prune", log, "--before", "2030-01-01", "--key", key]).code == 4)
  }

  @Test func theNewestCheckpoint() throws {
    let answer = try Kist.run(["audit", "checkpoint", log, "--key", key])
    #expect((answer.code, answer.complaint) == (0, ""))
    #expect(answer.output.hasPrefix("kist.test/audit\n6\n"))
    let file = try scratch.write("checkpoint", answer.output)
    #expect(try verify("--checkpoint", file).code == 0)
    let other = try NoteSigner(
      name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 8, count: 32).span)
    ).verifier.vkey
    #expect(
      try Kist.run(["audit", "checkpoint", log, "--key", other])
        == Transcript(
          code: 1,
          complaint: "kist audit checkpoint: \(log): the checkpoint is signed by another log\n"))
    #expect(try Kist.run(["audit", "checkpoint", "/nowhere", "--key", key]).code == 66)
  }

  @Test func linesOfNoWitnessAreNotAdded() throws {
    let note = try scratch.write(
      "note", try Kist.run(["audit", "checkpoint", log, "--key", key]).output)
    let policy = try scratch.write(
      "policy",
      "witness a witness.example.org+b8a2cf20+BFLN3yikSfFkVAJtrnh/CiY3Zozkoy7clp+P7XB28qUN\nquorum a\n"
    )
    let stranger = try scratch.write(
      "stranger",
      "\u{2014} witness.example.org uKLPIAAAAABpVGeAhm2bOvKc3LaB9PFN1ruG19Y5yqslmcAAbhftnn1Zznmo0LXFZq4LGvqKqLX8jWlwLKasxEGTLIqAVusneCBmBw==\n"
    )
    for lines in [
      stranger, try scratch.write("empty", ""), try scratch.write("text", "a letter\n"),
    ] {
      #expect(
        try Kist.run(["audit", "cosign", note, lines, "--key", key, "--witnesses", policy]).code
          == 1)
    }
    #expect(try Kist.run(["audit", "cosign", note, stranger, "--key", key]).code == 2)
  }

  @Test func tail() throws {
    let all = try Kist.run(["audit", "tail", log])
    #expect((all.code, all.complaint) == (0, ""))
    let lines = all.output.split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { $0.hasPrefix("2027-01-15T08:00:00.") })
    #expect(
      try Kist.run(["audit", "tail", log, "-n", "2"]).output.split(separator: "\n")
        == lines.suffix(2))
    #expect(try Kist.run(["audit", "tail", log, "--lines=0"]).output.isEmpty)
    let started = try Kist.run(["audit", "show", log, "--op", "start"]).output
    #expect(!started.isEmpty)
    #expect(try Kist.run(["audit", "tail", log, "--op", "start"]).output == started)
    #expect(
      try Kist.run(["audit", "tail", log, "-n", "1", "--csv"]).output.split(separator: "\r\n").count
        == 2)
    #expect(try Kist.run(["audit", "tail", log, "--json", "--csv"]).code == 2)
    #expect(try Kist.run(["audit", "tail", log + "/nothing"]).code == 66)
  }

  @Test func cursor() throws {
    let cursor = scratch.path + "/cursor"
    func tail(_ more: String...) throws -> Transcript {
      try Kist.run(["audit", "tail", log, "--cursor", cursor] + more)
    }
    func said() throws -> String { try String(contentsOfFile: cursor, encoding: .utf8) }
    func record(_ sequence: Int) throws -> String {
      try Kist.run(["audit", "show", log, String(sequence), "--json"]).output
    }
    let all = try Kist.run(["audit", "tail", log]).output
    let newest = try record(5)
    #expect(try tail().output == all && said() == newest)
    #expect(try tail() == Transcript() && said() == newest)
    _ = try scratch.write("cursor", record(2))
    #expect(try tail().output.split(separator: "\n") == all.split(separator: "\n").suffix(3))
    // What a filter passes over has been seen, too.
    _ = try scratch.write("cursor", record(0))
    #expect(
      try tail("--op", "key-store-locked").output
        == Kist.run(["audit", "show", log, "--op", "key-store-locked"]).output && said() == newest)
    // A line that a filter passes over unread, and that is no record, is no cursor either.
    let segment = try #require(
      try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasSuffix(".log") }.max()
    )
    let whole = try Data(contentsOf: URL(fileURLWithPath: log + "/" + segment))
    try (whole.prefix { $0 != 0 } + Data("{}\n".utf8)).write(
      to: URL(fileURLWithPath: log + "/" + segment))
    #expect(try tail("--op", "key-store-locked").code == 0 && said() == newest)
    try whole.write(to: URL(fileURLWithPath: log + "/" + segment))
    let complaint = "kist audit tail: \(cursor): not a cursor, which is a record and a newline\n"
    for text in [
      "", "\n", "x\n", "5\n", String(newest.dropLast()), newest + "\n", " " + newest,
      newest + newest,
    ] {
      _ = try scratch.write("cursor", text)
      #expect(try tail() == Transcript(code: 1, complaint: complaint), "\(text)")
      #expect(try said() == text)
    }
    _ = try scratch.write("cursor", String(repeating: "0", count: 1 << 16 + 1))
    #expect(try tail().complaint == "kist audit tail: \(cursor): longer than 65536 bytes\n")
    _ = try scratch.write("cursor", newest.replacing(#""seq":5,"#, with: #""seq":99,"#))
    #expect(try tail() == Transcript(code: 1, complaint: "kist audit tail: \(log): no record 99\n"))
    // The same number in another log.
    _ = try scratch.write("cursor", newest.replacing(#""seq":5,"#, with: #""seq":4,"#))
    #expect(
      try tail()
        == Transcript(
          code: 1,
          complaint:
            "kist audit tail: \(cursor): of another log: record 4 of \(log) is a different one\n"))
    #expect(try tail("-n", "2").code == 2)
    #expect(try Kist.run(["audit", "tail", log, "--cursor", "-"]).code == 2)
    #expect(try Kist.run(["audit", "tail", log, "--cursor", "/nowhere/cursor"]).code == 1)
  }

  @Test func show() throws {
    let records = try Kist.run(["audit", "show", log, "--json"]).output.split(separator: "\n")
    #expect(records.count == 6)
    #expect(
      records.allSatisfy {
        (try? CanonicalJSON(parsing: Array($0.utf8).span, byteLimit: 8192)) != nil
      })
    #expect(try Kist.run(["audit", "show", log, "3", "--json"]).output == records[3] + "\n")
    #expect(
      try Kist.run(["audit", "show", log, "--since", "2027-01-15"]).output.split(separator: "\n")
        .count == 6)
    #expect(
      try Kist.run(["audit", "show", log, "--since", "2027-01-15T08:00:01Z"]) == Transcript())
    #expect(
      try Kist.run(["audit", "show", log, "6"])
        == Transcript(code: 1, complaint: "kist audit show: \(log): no record 6\n"))
    #expect(
      try Kist.run(["audit", "show", "/nowhere"])
        == Transcript(code: 66, complaint: "kist audit show: /nowhere: No such file or directory\n")
    )
  }

  @Test func showFiltered() throws {
    #expect(
      try Kist.run(["audit", "show", log, "--op", "key-store-locked"]).output.split(separator: "\n")
        .count == 3)
    #expect(
      try Kist.run(["audit", "show", log, "--op", "key-store-locked", "--until", "2027-01-15"])
        == Transcript())
    #expect(try Kist.run(["audit", "show", log, "--user", "0"]) == Transcript())
    let rows = try Kist.run(["audit", "show", log, "--op", "start", "--csv"]).output.components(
      separatedBy: "\r\n")
    #expect(rows.count == 3)
    #expect(rows[0].hasPrefix("sequence,time,operation,") && rows[1].contains(",start,"))
  }

  @Test("--user compares the name on the record, never the reader's own accounts")
  func theUsersName() throws {
    let line = try #require(
      try Kist.run(["audit", "show", log, "3", "--json"]).output.split(separator: "\n").first)
    let folder = scratch.path + "/named"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    // Number 0 is root here, and was alice where the log was written.
    let actor = #"{"actor":{"gid":1,"name":"alice","pid":7,"uid":0},"#
    try scratch.write("named/00000000000000000003.log", actor + line.dropFirst() + "\n")
    for (user, isFound) in [
      ("alice", true), ("0", true), ("root", false), ("1", false), ("no-such-user", false),
    ] {
      let answer = try Kist.run(["audit", "show", folder, "--user", user])
      #expect(answer.code == 0 && answer.output.isEmpty != isFound, "\(user): \(answer)")
    }
    #expect(try Kist.run(["audit", "show", folder]).output.contains("user=alice uid=0 pid=7"))
    #expect(try Kist.run(["audit", "show", folder, "--csv"]).output.contains(",0,alice,7,"))
  }

  @Test func report() throws {
    let page = scratch.path + "/page.html"
    let words = ["audit", "report", log, "--since", "2027-01-15", "--key", key]
    let text = try Kist.run(words)
    #expect((text.code, text.complaint) == (0, ""))
    #expect(
      text.output.hasPrefix(
        "\(log): Verified, except for its end: every record is in its place under a signed checkpoint; 6 records, root "
      ))
    #expect(
      text.output.contains(
        "\nKeys, policy and the daemon\n  key-store-locked  3\n  start             1\n  stop              1\n"
      ))
    #expect(
      try Kist.run(words + ["--json"]).output.contains(
        "\"events\":[[\"key-store-locked\",3],[\"start\",1],[\"stop\",1]]"))
    #expect(try Kist.run(words + ["--html", page]) == Transcript())
    #expect(try String(contentsOfFile: page, encoding: .utf8).hasSuffix("</html>\n"))
    #expect(
      try Kist.run(["audit", "report", log, "--since", "2027-01-15"]).output.contains(
        ": Not verified: "))
    let keys = try scratch.write("keys.json", "{\"keys\":[]}\n")
    #expect(
      try Kist.run(words + ["--keys", keys]).output.contains("Keys that end soon\n  None.\n"))
    let bad = try scratch.write("bad.json", "[]")
    #expect(
      try Kist.run(words + ["--keys", bad])
        == Transcript(
          code: 1, complaint: "kist audit report: \(bad): not what kist key list --json prints\n"))
  }

  /// As root, a rename would put a file in the place of /dev/null.
  @Test("a page takes the place of a file alone, also behind a link, and - is standard output")
  func whereAPageGoes() throws {
    let words = ["audit", "report", log, "--since", "2027-01-15", "--key", key, "--html"]
    let page = try scratch.write("page.html", "old")
    let link = scratch.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: page)
    #expect(try Kist.run(words + [link]) == Transcript())
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == page)
    let text = try String(contentsOfFile: page, encoding: .utf8)
    #expect(text.hasSuffix("</html>\n"))
    #expect(try Kist.run(words + ["-"]).output.hasSuffix("</html>\n"))
    #expect(try Kist.run(words + ["-", "--json"]).code == 2)

    let (pipe, toPipe, dangling) = (
      scratch.path + "/pipe", scratch.path + "/to-pipe", scratch.path + "/dangling"
    )
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: toPipe, withDestinationPath: pipe)
    try FileManager.default.createSymbolicLink(
      atPath: dangling, withDestinationPath: scratch.path + "/none")
    let notAFile = "not a regular file; - is standard output"
    for (path, why) in [
      (pipe, notAFile), (toPipe, notAFile), (log, notAFile),
      (dangling, "No such file or directory"),
    ] {
      #expect(
        try Kist.run(words + [path])
          == Transcript(code: 1, complaint: "kist audit report: \(path): \(why)\n"))
    }
    var status = stat()
    #expect(unsafe lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(!scratch.has("none"))
  }

  @Test("where there is no log, no command says that nothing is in it") func noLog() throws {
    let empty = scratch.path + "/empty"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
    for words in [
      ["audit", "show", empty], ["audit", "show", empty, "3"], ["audit", "show", empty, "--csv"],
      ["audit", "tail", empty],
      ["audit", "review", empty, "--json"], ["audit", "report", empty, "--since", "2027-01-15"],
      ["policy", "simulate", empty, "--log", empty],
      ["policy", "suggest", "--dir", empty, "--log", empty],
    ] {
      let name = words.prefix(2).joined(separator: " ")
      #expect(
        try Kist.run(words)
          == Transcript(code: 66, complaint: "kist \(name): \(empty): there is no log\n"))
    }
    #expect(
      try Kist.run(["audit", "verify", empty, "--key", key]).output.hasPrefix(
        "\(empty): cannot be read: there is no log\n"))
    let report = ["audit", "report", log, "--since", "2027-01-15", "--policy", empty]
    #expect(
      try Kist.run(report)
        == Transcript(code: 66, complaint: "kist audit report: \(empty): there is no policy\n"))
  }

  @Test("a report of a log whose tail was cut is verified only by a checkpoint from elsewhere")
  func reportOfACutLog() throws {
    let kept = try scratch.write("kept", String(decoding: checkpoint, as: UTF8.self))
    let page = scratch.path + "/page.html"
    func report(_ more: String...) throws -> (answer: Transcript, page: String) {
      let answer = try Kist.run(
        ["audit", "report", log, "--since", "2027-01-15", "--key", key, "--html", page, "--json"]
          + more)
      return (answer, try String(contentsOfFile: page, encoding: .utf8))
    }
    let whole = try report("--checkpoint", kept)
    #expect(
      whole.answer.code == 0 && whole.answer.output.contains("\"verification\":\"Verified: ")
        && whole.page.contains("class=\"finding good\""))
    #expect(whole.page.contains("Records since then: 1; whether there were more is not known."))
    #expect(
      whole.page.contains(", with the verifier key \(key).</p>")
        && whole.answer.output.contains("\"verdict\":\"good\""))
    try cutToTheSecondBatch()
    let alone = try report()
    #expect(
      alone.answer.code == 0
        && alone.answer.output.contains("Nobody knows whether records were cut off the end"))
    #expect(
      alone.page.contains("class=\"finding end-unknown\"")
        && !alone.page.contains("class=\"finding good\""))
    let cut = try report("--checkpoint", kept)
    #expect(
      cut.answer.code == 3
        && cut.answer.output.contains("NOT GOOD: records are missing, there were 5; 3 records"))
    #expect(cut.page.contains("class=\"finding bad\""))
    #expect(
      try Kist.run(["audit", "report", log, "--since", "2027-01-15", "--checkpoint", kept]).code
        == 2)
    // `verify` says the same of what it cannot know.
    #expect(
      try verify().output.hasSuffix(
        "  its end      unknown: give a checkpoint that was kept elsewhere (--checkpoint)\n"))
  }

  @Test func reportOfAChangedRecord() throws {
    try change { bytes in
      bytes.replaceSubrange(
        try #require(bytes.range(of: Data("locked".utf8))), with: Data("lacked".utf8))
    }
    let counted = try Kist.run(["audit", "report", log, "--since", "2027-01-15", "--key", key])
    #expect(counted.code == 1)
    #expect(counted.output.hasPrefix("\(log): NOT GOOD: the log was tampered with at record "))
    try change { bytes in
      bytes.replaceSubrange(
        try #require(bytes.range(of: Data("\"op\":\"start".utf8))), with: Data("\"op\":{start".utf8)
      )
    }
    let uncounted = try Kist.run(["audit", "report", log, "--since", "2027-01-15", "--key", key])
    #expect((uncounted.code, uncounted.output) == (1, ""))
    #expect(uncounted.complaint.contains("NOT GOOD: "))
  }

  @Test(arguments: [
    [], ["--since", "x"], ["--since", "2027-01-15", "--until", "2027-01-15"],
    ["--since", "2027-01-15", "x"],
  ]) func reportWhatMakesNoSense(
    _ arguments: [String]
  ) throws {
    #expect(try Kist.run(["audit", "report", log] + arguments).code == 2)
  }

  @Test func showAChangedRecord() throws {
    try change { bytes in
      bytes.replaceSubrange(
        try #require(bytes.range(of: Data("\"op\":\"start".utf8))), with: Data("\"op\":{start".utf8)
      )
    }
    let answer = try Kist.run(["audit", "show", log])
    #expect(
      (answer.code, answer.complaint) == (
        1, "kist audit show: \(log): a line is not a record; see kist audit verify\n"
      ))
  }

  @Test(arguments: [
    ["x"], ["--since", "2027-01-15", "--until", "2027-01-14"],
    ["--since", "yesterday"], ["--until", "now"], ["1", "--since", "2027-01-15"],
    ["1", "--op", "start"], ["1", "2"], ["--result", "well"],
    ["--key", "a//b"],
    ["--digest", "ab"], ["--json", "--csv"],
  ]) func showWhatMakesNoSense(_ arguments: [String]) throws {
    #expect(try Kist.run(["audit", "show", log] + arguments).code == 2)
  }
}
