import Audit
import Ceremony
import Crypto
import Format
import Foundation
import KeyStore
import KistClient
import Review
import Testing

/// Custodians at a real daemon, each with `kist` as a Unix user of their own.
@Suite(.serialized, .enabled(if: getuid() == 0, "needs root to be several users"))
struct QuorumTests {
  private static let custodians = ["daemon", "bin", "games"]
  private static let policy =
    TestDaemon.everything + """

      [[grant]]
      id = "custodians"
      users = ["daemon", "bin", "games", "man"]
      operations = ["submit-share", "share-progress"]
      [[grant]]
      id = "drill"
      users = [\(getuid())]
      operations = ["who", "record-drill", "back-up"]
      """

  private struct Answer: Equatable {
    let code: Int32
    let text: String
  }

  private let daemon: TestDaemon

  init() throws {
    var options = TestDaemon.Options(usesCredential: false, custodians: Self.custodians)
    options.policy = Self.policy
    options.backups = true
    daemon = try TestDaemon(options)
  }

  @Test(
    "[OP-SHARE-1] [OP-SHARE-5] two users open the store from sessions of their own, and the log says who"
  ) func twoUsers() throws {
    defer { daemon.stop() }
    #expect(try kist(["share", "progress"], as: "man") == Answer(code: 0, text: "0 of 2 shares\n"))
    #expect(
      try kist(["share", "progress", "--json"], as: "man")
        == Answer(code: 0, text: "{\"needed\":2,\"present\":0,\"unlocked\":false}\n"))
    let first = try unlock(as: "daemon", with: 0)
    let fingerprints = try daemon.sheets.map { try fingerprint($0) }
    #expect(first.code == 0)
    #expect(
      first.text.hasPrefix("share \(fingerprints[0]) taken: 1 of 2 shares, until 20"), "\(first)")
    #expect(try kist(["share", "progress"], as: "man").text.hasPrefix("1 of 2 shares, until 20"))
    let json = try kist(["share", "progress", "--json"], as: "man").text
    #expect(
      json.wholeMatch(of: /\{"needed":2,"present":1,"unlocked":false,"until":"20[0-9T:-]+Z"\}\n/)
        != nil, "\(json)")
    #expect { _ = try Client(daemon.services).random(8) } throws: {
      ($0 as? ClientError)?.status == "locked"
    }
    let last = try unlock(as: "games", with: 2)
    #expect(last.code == 0 && last.text.hasPrefix("unlocked"), "\(last)")
    #expect(try Client(daemon.services).random(8).count == 8)
    let handed = try daemon.records().filter { $0.opcode == .submitShare }
    #expect(handed.map(\.actor?.uid) == [1, 5])
    #expect(handed.map { $0.inputs.share.map(Hex.encode) } == [fingerprints[0], fingerprints[2]])
    #expect(try daemon.records().contains { $0.operation == "key-store-unlocked" })
  }

  @Test(
    "[OP-SHARE-2] who has another's sheet, an old one or none gets nowhere, and learns no more than to compare fingerprints"
  ) func refusals() throws {
    defer { daemon.stop() }
    #expect(try unlock(as: "daemon", with: 0).code == 0)
    for (user, sheet) in [("bin", 0), ("man", 1), ("daemon", 0), ("daemon", 1)] {
      let answer = try unlock(as: user, with: sheet)
      // The id of the request is drawn at random.
      #expect(answer.code == 1 && answer.text.contains(/\(request [0-9a-f]{16}\)/), "\(answer)")
      let text = answer.text.replacing(/\ \(request [0-9a-f]{16}\)/, with: "")
      #expect(text == Self.refusal(try fingerprint(daemon.sheets[sheet])), "\(user), \(sheet)")
    }
    // A slip of the pen is found before the daemon is asked.
    #expect(
      try kist(
        ["unlock", "--share", "--share-fd", "0"], as: "bin", input: withSlip(daemon.sheets[1]))
        == Answer(
          code: 1, text: "kist unlock: at least one word is wrong: compare the sheet word by word\n"
        ))
    #expect(try kist(["share", "progress"], as: "bin").text.hasPrefix("1 of 2 shares"))
    #expect { _ = try Client(daemon.services).random(8) } throws: {
      ($0 as? ClientError)?.status == "locked"
    }
    #expect(try unlock(as: "bin", with: 1).text.hasPrefix("unlocked"))
  }

  @Test(
    "[OP-DRILL-1] a drill rebuilds the live keys from two shares and a copy, on the record, while the daemon serves"
  ) func drill() throws {
    defer { daemon.stop() }
    let live = daemon.directory.path + "/state/keys"
    let copy = daemon.directory.path + "/backup"
    try FileManager.default.copyItem(atPath: live, toPath: copy)
    #expect(try unlock(as: "daemon", with: 0).code == 0)
    #expect(try unlock(as: "bin", with: 1).text.hasPrefix("unlocked"))
    let before = try FileManager.default.contentsOfDirectory(atPath: copy)
    let fingerprints = try daemon.sheets.map { try fingerprint($0) }
    let report = """
      share    \(fingerprints[2])  Custodian games
      share    \(fingerprints[0])  Custodian daemon
      backup   generation 1, 2 keys rebuilt
      daemon   2 of them are its own
      the drill passed (audit record
      """
    let passed = try drill(copy, [2, 0])
    #expect(passed.code == 0 && passed.text.hasPrefix(report), "\(passed)")
    #expect(try daemon.records().last?.inputs.drill?.isPassed == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: copy) == before)

    let json = try gathering(["drill", copy, "--json", "--socket", daemon.operators.path], [0, 1])
      .text
    #expect(
      json.contains(
        #""different":[],"generation":1,"matched":2,"missing":[],"ok":true,"rebuilt":2,"shares":[{"fingerprint":""#
      ), "\(json)")
    #expect(try drill(copy, [0]) == Answer(code: 1, text: "kist drill: more shares are needed\n"))
    #expect(
      try drill(copy, [0, 0])
        == Answer(code: 1, text: "kist drill: that share was entered already\n"))
    #expect(
      try drill(live, [0, 1])
        == Answer(
          code: 1,
          text: "kist drill: \(live): a process has this key store open; take a copy of it\n"))
    let none =
      "it has no manifest: it is not a key store, or is left from an interrupted copy or restore\n"
    #expect(
      try drill(daemon.directory.path, [0, 1])
        == Answer(code: 1, text: "kist drill: \(daemon.directory.path): " + none))
    var signer = try PassingSecrets.signer().key
    signer.label = "merchant/signer"
    _ = try Client(daemon.operators).importKey(signer)
    let older = try drill(copy, [0, 1])
    #expect(
      older.code == 1
        && older.text.contains(
          "MISSING  merchant/signer: the backup is older than this key; make another\nthe drill FAILED (audit record"
        ),
      "\(older)"
    )
    #expect(try daemon.records().last?.inputs.drill?.isPassed == false)
    #expect(try Client(daemon.services).random(8).count == 8)
  }

  /// What docs/UNLOCK.md says to do when the disk with the key store is gone.
  @Test(
    "[OP-BACKUP-1] [KS-RESTORE] a store is lost and made anew from its backup: the same keys, opened by the same shares, and a drill passes"
  )
  func backupAndRestore() throws {
    let state = daemon.directory.path + "/state"
    let backups = daemon.directory.path + "/backups"
    #expect(try unlock(as: "daemon", with: 0).code == 0)
    #expect(try unlock(as: "bin", with: 1).text.hasPrefix("unlocked"))
    var signer = try PassingSecrets.signer().key
    signer.label = "merchant/signer"
    _ = try Client(daemon.operators).importKey(signer)
    let socket = ["--socket", daemon.operators.path]
    let made = try kist(["backup", "--json"] + socket)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: backups).first)
    let copy = backups + "/" + name
    let digest = try StoreCopy(copy).facts.digest.hex
    #expect(
      made.code == 0 && made.text.contains(#""digest":"\#(digest)","generation":"#)
        && made.text.contains(#""keys":3,"name":"\#(name)","#), "\(made)")
    #expect(try drill(copy, [0, 2]).text.contains("the drill passed"))
    let keys = try publicKeys()
    #expect(keys.count == 1)

    let restore = ["restore", copy, state]
    let before = try kist(restore + ["--digest", digest])
    #expect(
      before
        == Answer(
          code: 1,
          text:
            "kist restore: \(state)/keys: a process has this key store open; it is left as it is\n")
    )
    #expect(daemon.stop() == 0)
    #expect(try kist(restore + ["--digest", digest]).text.contains("there is a key store already"))
    try FileManager.default.removeItem(atPath: state + "/keys")
    #expect(try kist(restore).text.contains("has the digest \(digest): compare it"))
    #expect(try kist(restore + ["--digest", "00"]).code == 2)
    let wrong = try kist(restore + ["--digest", String(digest.reversed())])
    #expect(
      wrong.code == 1 && wrong.text.contains("its digest is \(digest), and nothing was made"),
      "\(wrong)")
    #expect(
      try kist(["restore", backups, state, "--digest", digest]).text.contains("it has no manifest"))
    #expect(!FileManager.default.fileExists(atPath: state + "/keys"))
    let restored = try kist(restore + ["--digest", digest])
    #expect(
      restored.code == 0 && restored.text.contains("\(state)/keys (rehearsal)"), "\(restored)")
    #expect(try kist(restore + ["--digest", digest]).code == 1)

    let again = try daemon.restarted()
    defer { again.stop() }
    #expect(try unlock(as: "games", with: 2).code == 0)
    #expect(try unlock(as: "daemon", with: 0).text.hasPrefix("unlocked"))
    #expect(try publicKeys() == keys)
    #expect(try drill(copy, [0, 1]).text.contains("the drill passed"))
    let events = try again.records().filter { $0.operation == "key-store-restored" }
    #expect(
      events.count == 1
        && events[0].event.contains { $0.name == "digest" && $0.value == .string(digest) })
  }

  private func publicKeys() throws -> [[UInt8]] {
    try Client(daemon.operators).listKeys(prefix: "").map {
      try Client(daemon.operators).describeKey($0.id).publicKey
    }
  }

  private func kist(_ words: [String]) throws -> Answer {
    try run([TestDaemon.executable("kist").path] + words, "")
  }

  @Test(
    "custodians type their shares for a drill one after another; a slip is asked for again, and nothing shows"
  ) func typedDrill() throws {
    defer { daemon.stop() }
    let copy = daemon.directory.path + "/backup"
    try FileManager.default.copyItem(atPath: daemon.directory.path + "/state/keys", toPath: copy)
    #expect(try unlock(as: "daemon", with: 0).code == 0)
    #expect(try unlock(as: "bin", with: 1).text.hasPrefix("unlocked"))
    let typed = [daemon.sheets[0], withSlip(daemon.sheets[1]), daemon.sheets[0], daemon.sheets[1]]
    let session = try typing(typed, ["drill", copy, "--socket", daemon.operators.path])
    for shown in [
      "Share 1, word 1 of 33: ", "Share 2, word 1 of 33: ",
      "at least one word is wrong: compare the sheet word by word. Share 2, word 1 of 33: ",
      "that share was entered already. Share 2, word 1 of 33: ", "the drill passed",
    ] { #expect(session.text.contains(shown), "\(session)") }
    #expect(session.text.contains("\"quiet\": [true, true, true, true]"), "\(session)")
    // One word alone may be of the prompts; two neighbours of a share never are.
    let words = daemon.sheets[0].split(separator: " ").dropFirst(4)
    for (first, second) in zip(words, words.dropFirst()) {
      #expect(!session.text.contains("\(first) \(second)"))
    }
    #expect(!words.allSatisfy(session.text.contains))
  }

  @Test(
    "two shares make the credential that unlocks the store at the next start, and nothing less does"
  ) func credential() throws {
    let live = daemon.directory.path + "/state/keys"
    let out = daemon.directory.path + "/credential"
    let options = ["--credential-out", out]
    let inUse =
      "kist keystore credential: \(live): a process has this key store open; take a copy of it\n"
    #expect(
      try gathering(["keystore", "credential", live] + options, [0, 1])
        == Answer(code: 1, text: inUse))
    #expect(daemon.stop() == 0)
    #expect(
      try gathering(["keystore", "credential", live] + options, [1])
        == Answer(code: 1, text: "kist keystore credential: more shares are needed\n"))
    #expect(!FileManager.default.fileExists(atPath: out))
    let made = try gathering(["keystore", "credential", live] + options, [1, 2])
    #expect(
      made
        == Answer(
          code: 0,
          text:
            "\(out) opens the 2 keys of \(live): seal it with systemd-creds encrypt or in a TPM, then destroy it\n"
        ))
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: out))
        == Data(contentsOf: daemon.directory.appendingPathComponent("kek")))
    #expect(
      try FileManager.default.attributesOfItem(atPath: out)[.posixPermissions] as? Int == 0o600)
    let there = "kist keystore credential: \(out): there already; it is left as it is\n"
    #expect(
      try gathering(["keystore", "credential", live] + options, [1, 2])
        == Answer(code: 1, text: there))
  }

  @Test(
    "a share of another set is named and left out, though it came first; one share of each set names nobody"
  ) func foreignShare() throws {
    defer { daemon.stop() }
    let foreign = try TestDaemon.foreignSheets()[0]
    let live = daemon.directory.path + "/state/keys"
    let out = daemon.directory.path + "/credential"
    let copy = daemon.directory.path + "/backup"
    try FileManager.default.copyItem(atPath: live, toPath: copy)
    let words = ["keystore", "credential", copy, "--credential-out", out]
    #expect(
      try gathering(words, of: [foreign, daemon.sheets[0]])
        == Answer(code: 1, text: "kist keystore credential: more shares are needed\n"))
    #expect(!FileManager.default.fileExists(atPath: out))
    let made = try gathering(words, of: [foreign, daemon.sheets[0], daemon.sheets[2]])
    #expect(
      made.code == 0
        && made.text.hasPrefix(
          "the share of --share-fd 3 is of another set than the others, and was not used\n"),
      "\(made)")
    #expect(try unlock(as: "daemon", with: 0).code == 0)
    #expect(try unlock(as: "bin", with: 1).text.hasPrefix("unlocked"))
    let command = ["drill", copy, "--socket", daemon.operators.path]
    let drilled = try gathering(command, of: [foreign, daemon.sheets[1], daemon.sheets[0]])
    #expect(
      drilled.code == 0 && drilled.text.contains("--share-fd 3 is of another set")
        && drilled.text.contains("the drill passed"), "\(drilled)")
    let typed = try typing([foreign, daemon.sheets[1], daemon.sheets[0]], command)
    for shown in [
      "The shares so far are of 2 sets; the first that is complete counts. Share 3, word 1",
      "share 1 is of another set", "the drill passed",
    ] {
      #expect(typed.text.contains(shown), "\(typed)")
    }
  }

  @Test("a drill finds a missing grant before the first word") func missingGrant() throws {
    defer { daemon.stop() }
    let copy = daemon.directory.path + "/backup"
    try FileManager.default.copyItem(atPath: daemon.directory.path + "/state/keys", toPath: copy)
    #expect(try unlock(as: "daemon", with: 0).code == 0)
    #expect(try unlock(as: "bin", with: 1).text.hasPrefix("unlocked"))
    let policy = Self.policy.replacing("\"record-drill\", ", with: "")
    try TestDaemon.write(
      policy, to: daemon.directory.appendingPathComponent("policy.d/10-test.toml"))
    #expect(try daemon.reload().code == 0)
    #expect(daemon.errors(until: "event=reloaded").contains("event=reloaded"))
    let answer = try typing(
      [daemon.sheets[0], daemon.sheets[1]], ["drill", copy, "--socket", daemon.operators.path])
    #expect(
      answer.text.contains("policy grants you no record-drill")
        && answer.text.contains("\"code\": 1"), "\(answer)")
    #expect(!answer.text.contains("word 1 of 33"), "\(answer)")
    #expect(try !daemon.records().contains { $0.opcode == .recordDrill })
  }

  private func drill(_ directory: String, _ sheets: [Int]) throws -> Answer {
    try gathering(["drill", directory, "--socket", daemon.operators.path], sheets)
  }

  /// `kist` at a terminal, where somebody types these lines one after the other.
  private func typing(_ lines: [String], _ words: [String]) throws -> Answer {
    let terminal = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../CLITests/Fixtures/terminal.py")
    return try run(
      [
        "python3", terminal.path, lines.joined(separator: ","), "0",
        TestDaemon.executable("kist").path,
      ] + words, "")
  }

  private func gathering(_ words: [String], _ sheets: [Int]) throws -> Answer {
    try gathering(words, of: sheets.map { daemon.sheets[$0] })
  }

  /// `kist` with a descriptor for each of these sheets.
  private func gathering(_ words: [String], of sheets: [String]) throws -> Answer {
    let files = try sheets.enumerated().map { number, sheet in
      let file = daemon.directory.appendingPathComponent("sheet-\(number)")
      try TestDaemon.write(sheet, to: file)
      return (descriptor: number + 3, path: file.path)
    }
    let options = files.map { "--share-fd \($0.descriptor) \($0.descriptor)<'\($0.path)'" }.joined(
      separator: " ")
    let command = ([TestDaemon.executable("kist").path] + words).map { "'\($0)'" }.joined(
      separator: " ")
    return try run(["sh", "-c", "exec \(command) \(options)"], "")
  }

  @Test("[OP-SHARE-3] neither a sheet nor what the sheets give is in memory after the unlocking")
  func residue() throws {
    defer { daemon.stop() }
    let kek = [UInt8](try Data(contentsOf: daemon.directory.appendingPathComponent("kek")))
    var secrets = ["kek": kek]
    for (number, sheet) in daemon.sheets.enumerated() {
      secrets["sheet-\(number)"] = Array(sheet.utf8.dropFirst(40).prefix(40))
      secrets["share-\(number)"] = Array(try daemon.share(number).suffix(32))
    }
    #expect(try unlock(as: "daemon", with: 0).code == 0)
    try ResidueTests.expectNothing(of: secrets, in: daemon, "with one share there")
    #expect(try unlock(as: "bin", with: 1).text.hasPrefix("unlocked"))
    try ResidueTests.expectNothing(of: secrets, in: daemon, "after the unlocking")
  }

  private static func refusal(_ fingerprint: String) -> String {
    "kist unlock: rejected; the share is not yours, not of this key, or was handed in already; 'kist share verify' shows its fingerprint, \(fingerprint)\n"
  }

  /// A sheet one of whose words, which are drawn at random, is another word of the list.
  private func withSlip(_ sheet: String) -> String {
    var words = sheet.split(separator: " ")
    words[6] = words[6] == "academic" ? "zero" : "academic"
    return words.joined(separator: " ")
  }

  private func unlock(as user: String, with sheet: Int) throws -> Answer {
    try kist(
      ["unlock", "--share", "--share-fd", "0"], as: user, input: daemon.sheets[sheet] + "\n")
  }

  private func fingerprint(_ sheet: String) throws -> String {
    let answer = try run(
      [TestDaemon.executable("kist").path, "share", "verify", "--share-fd", "0"], sheet)
    return String(answer.text.trimmingCharacters(in: .newlines).suffix(10))
  }

  private func kist(_ words: [String], as user: String, input: String = "") throws -> Answer {
    let privileges = ["setpriv", "--reuid=\(user)", "--regid=operator", "--clear-groups"]
    return try run(
      privileges + [TestDaemon.executable("kist").path] + words + [
        "--socket", daemon.operators.path,
      ], input)
  }

  private func run(_ words: [String], _ input: String) throws -> Answer {
    let process = Process(), output = Pipe()
    // Into a pipe, a command that ends before it has read all would end the tests with SIGPIPE.
    let source = daemon.directory.appendingPathComponent("typed")
    try TestDaemon.write(input, to: source)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = output
    process.standardError = output
    process.standardInput = try FileHandle(forReadingFrom: source)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Answer(code: process.terminationStatus, text: text)
  }
}
