import Foundation
import Testing

/// Ceremonies at a real pseudo-terminal; `Fixtures/ceremony.py` is the people.
@Suite struct CeremonyTests {
  struct Session: Decodable {
    var shown: String
    var faults: [String]
    var sheets: Int
    var code, signal: Int32
  }

  struct Paper: Codable {
    var words: [String: [String]] = [:]
    var components: [String: [String]] = [:]
    var signatures: [String: String] = [:]
    var screen: [Int]?
    var codes: [String: String] = [:]
    var checkpoints: [String: String] = [:]
  }

  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    // Components: their check values, and that of their XOR, by pyca/cryptography's CMAC.
    try put(
      Paper(components: [
        "carol": [
          "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F", "377822 C093",
        ],
        "dave": [
          "FFEEDDCCBBAA99887766554433221100FFEEDDCCBBAA99887766554433221100", "377029 46DE",
        ],
      ]))
  }

  private static let someKey =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"

  func plan(_ id: String, _ steps: String, key: String = someKey, users: [String: String] = [:])
    throws -> String
  {
    let people = [
      ("alice", "administrator"), ("bob", "operator"), ("carol", "custodian"),
      ("dave", "custodian"), ("erin", "custodian"), ("wendy", "witness"),
    ]
    let head = """
      id = "\(id)"
      purpose = "A test"
      date = "2026-12-01"
      store = "\(scratch.path)/keys"
      software = ["\(String(repeating: "0", count: 64))  /usr/bin/kist"]
      witness_quorum = 1

      """
    let persons = people.map {
      "[[person]]\nname = \"\($0.0)\"\nroles = [\"\($0.1)\"]\n"
        + (users[$0.0].map { "user = \"\($0)\"\n" } ?? "")
    }.joined()
    return try scratch.write(id + ".toml", head + persons + "key = \"\(key)\"\n" + steps)
  }

  static let initialise =
    "[[step]]\nkind = \"initialise\"\nthreshold = 2\ncustodians = [\"carol\", \"dave\", \"erin\"]\ndice = true\n"
  static let unlock = "[[step]]\nkind = \"unlock\"\nwith = \"shares\"\n"
  static let generate =
    "[[step]]\nkind = \"generate\"\nlabel = \"data/pan\"\nrole = \"surrogate\"\nalgorithm = \"AES-256\"\n"
  static let importing =
    "[[step]]\nkind = \"import-components\"\nlabel = \"data/exchanged\"\nrole = \"sealing\"\ncustodians = [\"carol\", \"dave\"]\nkcv = \"1CF741 727C\"\n"
  private static let destroy = "[[step]]\nkind = \"destroy\"\nlabel = \"data/pan\"\n"

  func hold(_ arguments: [String], stop: String = "", _ signal: Int32 = 0) throws -> Session {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments =
      [
        Kist.fixtures + "/ceremony.py", scratch.path + "/paper.json", stop, String(signal),
        try #require(Kist.path).path, "ceremony",
      ] + arguments
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let session = try JSONDecoder().decode(Session.self, from: text)
    #expect(session.faults == [])
    return session
  }

  func paper() throws -> Paper {
    try JSONDecoder().decode(
      Paper.self, from: Data(contentsOf: URL(fileURLWithPath: scratch.path + "/paper.json")))
  }

  func put(_ paper: Paper) throws {
    try scratch.write("paper.json", String(decoding: JSONEncoder().encode(paper), as: UTF8.self))
  }

  func verify(_ name: String) throws -> Transcript {
    try Kist.run(["ceremony", "verify", scratch.path + "/" + name])
  }

  /// Nothing that was typed or shown in secret is on the terminal or in the ceremony's directory
  /// when all is over.
  private func expectNoSecret(in session: Session, _ folder: String) throws {
    var everything = session.shown
    for file in try FileManager.default.subpathsOfDirectory(atPath: scratch.path + "/" + folder) {
      if let data = FileManager.default.contents(atPath: scratch.path + "/\(folder)/" + file) {
        everything += String(decoding: data, as: UTF8.self)
      }
    }
    let paper = try paper()
    // One word alone may be of the prompts, or of the hash that is read aloud; two neighbours of a
    // share never are.
    for words in paper.words.values {
      for (first, second) in zip(words, words.dropFirst()).dropFirst(4) {
        #expect(!everything.contains("\(first) \(second)"))
      }
    }
    for component in paper.components.values {
      #expect(!everything.lowercased().contains(component[0].lowercased()))
    }
    #expect(!everything.contains("123456123456"))
    #expect(!everything.contains { "▀▄█".contains($0) })
  }

  @Test func aStoreFromTwoOfThree() throws {
    let key = scratch.path + "/wendy"
    try openSSH("-q", "-t", "ed25519", "-N", "", "-C", "wendy", "-f", key)
    let file = try plan(
      "first", Self.initialise + Self.generate,
      key: String(contentsOfFile: key + ".pub", encoding: .utf8).trimmingCharacters(in: .newlines))
    #expect(try Kist.run(["ceremony", "plan", file]).code == 0)
    let session = try hold(["run", file, scratch.path + "/dir"])
    #expect((session.code, session.sheets) == (0, 3), "\(session.shown)")
    #expect(session.shown.contains("All steps are done."))
    try expectNoSecret(in: session, "dir")
    let verdict = try verify("dir")
    #expect(
      verdict.code == 5 && verdict.output.contains("NOT WITNESSED")
        && verdict.output.contains("2 of 2"), "\(verdict)")

    // A witness signs with OpenSSH, on a machine of her own.
    try openSSH("-q", "-Y", "sign", "-n", "ceremony", "-f", key, scratch.path + "/dir/checkpoint")
    var paper = try paper()
    paper.signatures["wendy"] = scratch.path + "/dir/checkpoint.sig"
    try put(paper)
    #expect(try hold(["resume", scratch.path + "/dir"]).shown.contains("signed by wendy"))
    let witnessed = try verify("dir")
    #expect(witnessed.code == 0 && witnessed.output.contains("wendy; needed: 1"), "\(witnessed)")

    // Components of another machine's key, and the end of one.
    let second = try hold([
      "run", plan("second", Self.unlock + Self.importing + Self.destroy), scratch.path + "/second",
    ])
    #expect((second.code, second.sheets) == (0, 0), "\(second.shown)")
    #expect(
      second.shown.contains("data/exchanged is in the store")
        && second.shown.contains("data/pan is destroyed"))
    try expectNoSecret(in: second, "second")
    #expect(try verify("second").code == 5)
  }

  /// Custodians who want it see their share as a code, once the terminal is large enough, and enter
  /// it with a scanner.
  @Test func aCodeOnRequest() throws {
    try put(Paper(screen: [65, 40]))
    let session = try hold([
      "run", plan("first", Self.initialise + "qr = true\n"), scratch.path + "/dir",
    ])
    #expect((session.code, session.sheets) == (0, 3), "\(session.shown)")
    #expect(
      session.shown.contains(
        "the code needs 65 columns and 40 lines, and this terminal has 80 and 24: enlarge it"))
    #expect(
      session.shown.matches(of: /word 1 of 33/).count == 3
        && !session.shown.contains("word 2 of 33"))
    try expectNoSecret(in: session, "dir")
    #expect(try verify("dir").code == 5)
    let paper = try paper()
    #expect(
      paper.codes.count == 3
        && paper.codes.values.allSatisfy {
          $0.contains("its words as a QR code") && $0.contains("▀")
        })
    guard let directory = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"] else { return }
    let sheets = paper.codes.map { custodian, page in
      ["text": paper.words[custodian]?.joined(separator: " ") ?? "", "page": page]
    }
    try JSONEncoder().encode(sheets).write(to: URL(fileURLWithPath: directory + "/sheets.json"))
  }

  @Test(arguments: [SIGINT, SIGHUP, SIGKILL]) func stoppedAtACode(_ signal: Int32) throws {
    try put(Paper(screen: [80, 50]))
    let session = try hold(
      ["run", plan("first", Self.initialise + "qr = true\n"), scratch.path + "/dir"],
      stop: "code page", signal)
    #expect((session.code, session.signal, session.sheets) == (-1, signal, 1))
    try expectNoSecret(in: session, "dir")
    #expect(!scratch.has("keys/manifest.json"))
    #expect(try verify("dir").code == 3)
    #expect(try hold(["resume", scratch.path + "/dir"]).code == 0)
    #expect(try verify("dir").code == 5)
  }

  /// What stops it leaves a terminal that can be used, no store that is half made, and a transcript
  /// that can go on.
  @Test(arguments: [
    ("sheet", SIGINT), ("word 20 of", SIGTERM), ("sheet", SIGKILL), ("word 20 of", SIGKILL),
    ("check value of data/pan", SIGKILL),
  ])
  func stoppedInTheMiddle(_ prompt: String, _ signal: Int32) throws {
    let file = try plan("first", Self.initialise + Self.generate)
    let session = try hold(["run", file, scratch.path + "/dir"], stop: prompt, signal)
    #expect((session.code, session.signal) == (-1, signal))
    // What can be caught shows a last checkpoint, in digits and in words, which the ceremony then
    // goes on from.
    let last = session.shown.firstMatch(
      of: /checkpoint after the stop: [0-9a-f]{32}\s+(?:[A-Za-z]+\s+){16}/)
    #expect((last != nil) == (signal != SIGKILL), "\(session.shown)")
    try expectNoSecret(in: session, "dir")
    #expect(scratch.has("keys/manifest.json") == prompt.contains("data/pan"))
    let verdict = try verify("dir")
    #expect(verdict.code == 3 && verdict.output.contains("PARTIAL"), "\(verdict)")
    let next = try hold(["resume", scratch.path + "/dir"])
    #expect(next.code == 0 && next.shown.contains("All steps are done."), "\(next.shown)")
    #expect(try verify("dir").code == 5)
  }

  /// Two custodians open the store of a ceremony, each as a user of their own; the daemon's log
  /// begins where the transcript ends.
  @Test(.enabled(if: getuid() == 0, "needs root to be several users")) func aDaemonOfTheCeremony()
    throws
  {
    _ = try hold([
      "run",
      plan(
        "first", Self.initialise + Self.generate,
        users: ["carol": "daemon", "dave": "bin", "erin": "games"]), scratch.path + "/dir",
    ])
    let verdict = try Kist.run(["ceremony", "verify", "--json", scratch.path + "/dir"]).output
    let genesis = String(try #require(verdict.firstMatch(of: /"genesis":"([0-9a-f]{64})"/)).1)
    let daemon = try daemon(genesis)
    defer { daemon.terminate() }
    let paper = try paper()
    let first = try unlock("daemon", paper.words["carol"])
    #expect(first.code == 0 && first.output.contains("taken: 1 of 2 shares"), "\(first)")
    #expect(try unlock("games", paper.words["dave"]).code == 1)
    let last = try unlock("games", paper.words["erin"])
    #expect(last.code == 0 && last.output.hasPrefix("unlocked"), "\(last)")
    let log = try String(
      contentsOfFile: scratch.path + "/audit/00000000000000000000.log", encoding: .utf8)
    #expect(log.split(separator: "\n").first?.contains("\"prev\":\"\(genesis)\"") == true)

    let second = try hold(["run", plan("second", Self.unlock), scratch.path + "/second"])
    #expect(
      second.code == 1
        && second.shown.contains("a process has this key store open; stop kistd first"),
      "\(second.shown)")
  }

  func daemon(_ genesis: String, policy more: String = "", configuration extra: String = "") throws
    -> Process
  {
    for name in ["run", "audit", "policy.d"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path + "/" + name, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o711])
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: scratch.path)
    let policy =
      "[[grant]]\nid = \"custodians\"\nusers = [\"daemon\", \"bin\", \"games\"]\noperations = [\"submit-share\", \"share-progress\"]\n"
      + more
    let configuration = """
      state_directory = "\(scratch.path)"
      service = {socket = "\(scratch.path)/run/kist.sock", mode = "0600"}
      admin = {socket = "\(scratch.path)/run/admin.sock", group = "operator", mode = "0660"}
      policy = {directory = "\(scratch.path)/policy.d"}
      memory = {arena_size = "16MiB", allow_mlock_fallback = true}
      [audit]
      directory = "\(scratch.path)/audit"
      origin = "test"
      genesis = "\(genesis)"
      segment_size = "1MiB"
      reserve = "2MiB"
      low_space = "1MiB"

      """ + extra
    for file in [
      try scratch.write("policy.d/10-test.toml", policy),
      try scratch.write("kist.toml", configuration),
    ] {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
    let process = Process()
    process.executableURL = try #require(Kist.path).deletingLastPathComponent()
      .appendingPathComponent("kistd")
    process.arguments = ["--config", scratch.path + "/kist.toml"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    while process.isRunning,
      try Kist.run(["share", "progress", "--socket", scratch.path + "/run/admin.sock"]).complaint
        .contains("is kistd running")
    {}
    return process
  }

  private func unlock(_ user: String, _ words: [String]?) throws -> Transcript {
    try Kist.run(
      ["unlock", "--share", "--share-fd", "0", "--socket", scratch.path + "/run/admin.sock"],
      as: user, input: #require(words).joined(separator: " "))
  }

  @Test func aRehearsalIsForNoDaemon() throws {
    let file = try plan("first", Self.initialise + Self.generate)
    let session = try hold(["rehearse", file, scratch.path + "/dir"])
    #expect(
      session.code == 0
        && session.shown.contains("REHEARSAL: do not use any key that is made here"),
      "\(session.shown)")
    #expect(scratch.has("dir/keys/manifest.json") && !scratch.has("keys/manifest.json"))
    let verdict = try verify("dir")
    #expect(verdict.code == 4 && verdict.output.contains("REHEARSAL, complete"), "\(verdict)")
    #expect(
      try Kist.run(["ceremony", "verify", "--json", scratch.path + "/dir"]).output.contains(
        "\"ok\":false"))
  }

  /// Who must sign a transcript reads it, a line for each record.
  @Test func aTranscriptForPeople() throws {
    let session = try hold([
      "run", plan("first", Self.initialise + Self.generate), scratch.path + "/dir",
    ])
    #expect(session.code == 0, "\(session.shown)")
    let answer = try Kist.run(["ceremony", "verify", "--transcript", scratch.path + "/dir"])
    for line in [
      "alice is there", "carol is shown share 1 of 3 alone", "dave enters share 2 of 3: ",
      "bob reads back KEK check value: ", "all steps are done",
    ] {
      #expect(answer.output.contains(line), "\(line): \(answer.output)")
    }
    #expect(!answer.output.contains("\\u{"))
  }

  /// The daemon's own configuration calls the log otherwise: that is said before anything is made.
  @Test func theLogThatTheDaemonWillWrite() throws {
    let file = try plan(
      "first", Self.initialise.replacing("dice = true", with: "audit_origin = \"acme/audit\""))
    for (origin, complaint) in [
      ("acme/other", "the daemon's configuration calls the audit log acme/other"),
      ("acme/audit", nil),
    ] {
      let name = origin.replacing("acme/", with: "")
      let sockets = "service = {mode = \"0600\"}\nadmin = {group = \"operator\", mode = \"0660\"}\n"
      let configuration = try scratch.write(
        "kist-\(name).toml", sockets + "[audit]\norigin = \"\(origin)\"\n")
      let session = try hold(
        ["run", file, scratch.path + "/" + name, "--config", configuration], stop: "your name",
        SIGKILL)
      #expect(
        session.shown.contains("the daemon's configuration") == (complaint != nil),
        "\(session.shown)")
      if let complaint { #expect(session.shown.contains(complaint)) }
    }
  }

  /// A store of another user's, and a directory that others can write to.
  @Test(.enabled(if: getuid() == 0, "needs root to give a directory away"))
  func whoseDirectoriesTheyAre() throws {
    let file = try plan("first", Self.initialise)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.path)
    let open = try hold(["run", file, scratch.path + "/dir"])
    #expect(open.code == 1 && open.shown.contains("is not yours alone"), "\(open.shown)")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700, .ownerAccountID: 1], ofItemAtPath: scratch.path)
    let other = try hold(["run", file, "/root/kist-ceremony-\(UUID().uuidString)"])
    #expect(other.code == 1 && other.shown.contains("belongs to another user"), "\(other.shown)")
    try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: scratch.path)
    #expect(!scratch.has("keys/manifest.json"))
  }

  @Test func withoutATerminal() throws {
    let file = try plan("first", Self.initialise)
    let answer = try Kist.runDetached(["ceremony", "run", file, scratch.path + "/dir"])
    #expect(
      answer
        == Transcript(
          code: 1,
          complaint: "kist ceremony run: there is no terminal; a ceremony takes place at one\n"))
    #expect(!scratch.has("dir"))
  }

  @Test func whatIsInTheWay() throws {
    let file = try plan("first", Self.initialise)
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/dir/something", withIntermediateDirectories: true)
    let session = try hold(["run", file, scratch.path + "/dir"])
    #expect(session.code == 1 && session.shown.contains("the ceremony's directory is not empty"))
    let absent = try hold(["run", try plan("second", Self.unlock), scratch.path + "/second"])
    #expect(
      absent.code == 1
        && absent.shown.contains("there is no key store where the ceremony needs one"))
    #expect(!scratch.has("second"))
  }

  @Test(arguments: [
    ("id = \"first\"", "id = \"first\"\nport = 1", "first.toml:2:1: unknown key 'port'"),
    ("threshold = 2", "threshold = 4", "'threshold' is 4"),
    ("\"witness\"", "\"witness\", \"operator\"", "expected a witness to be nothing else"),
  ]) func aPlanThatIsNotInOrder(_ old: String, _ new: String, _ complaint: String) throws {
    let file = try plan("first", Self.initialise)
    try scratch.write(
      "first.toml", try String(contentsOfFile: file, encoding: .utf8).replacing(old, with: new))
    let answer = try Kist.run(["ceremony", "plan", file])
    #expect(
      answer.code != 0 && answer.output.isEmpty && answer.complaint.contains(complaint), "\(answer)"
    )
  }

  @Test func aDirectoryOfNoCeremony() throws {
    #expect(try verify("nowhere").code == 66)
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/dir", withIntermediateDirectories: false)
    #expect(try verify("dir").code == 66)
    try scratch.write("dir/ceremony.toml", "id = 1\n")
    #expect(try verify("dir").code == 1)
  }

  private func openSSH(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/ssh-keygen")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
