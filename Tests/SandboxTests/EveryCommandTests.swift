import Format
import Foundation
import TestSupport
import Testing
@testable import kist

/// Every command of the table against a daemon that serves, one that is locked, one that is
/// stopped, and none: an exit code each time, as documented, never a signal and never a hang.
@Suite struct EveryCommandTests {
  let folder: Folder
  let box: Box
  private let daemon: Running

  init() throws {
    folder = try Folder()
    box = Box(folder: folder)
    try #require(try Run(["sandbox", "init", folder.path]).code == 0)
    try folder.write("policy.d/10-sandbox.toml", Self.policy)
    let configuration = try folder.text("kist.toml")
    try folder.write("kist.toml", configuration + "\n[operators]\napproval = []\n")
    try folder.write("hex", String(repeating: "5a", count: 32) + "\n")
    try folder.write(
      "cases.toml",
      "[[case]]\nuser = 4242\ngroups = [4242]\noperation = \"random\"\ndenied = true\n")
    daemon = try Running(["sandbox", "run", "--dir", folder.path])
    while try !daemon.complaint().contains("event=ready") {}
    try folder.write("token.json", Run(["sandbox", "token", "--dir", folder.path]).output)
    try folder.write("request.json", Run(["sandbox", "pass-request", "--dir", folder.path]).output)
    for (label, role, more) in Self.keys {
      let made = try box.ran(
        ["key", "generate", "--label", "merchant/sandbox/" + label, "--role", role] + more)
      try #require(made.code == 0, "\(label): \(made.complaint)")
    }
    let exchange = try box.ran([
      "key", "import", folder.path + "/hex", "--label", "merchant/sandbox/kek", "--role",
      "key-exchange",
    ])
    try #require(exchange.code == 0, "\(exchange.complaint)")
    let pass = [
      "pass", "provision", "--request", folder.path + "/request.json", "--expiration", "12/30",
      "--name", "A", "--account-fd", "0",
    ]
    let sealed = try box.ran(pass, input: "4109370251004320\n")
    try #require(sealed.code == 0, "\(sealed)")
    try folder.write("sealed.json", sealed.output)
  }

  private static let keys: [(String, String, [String])] = [
    ("sealing", "sealing", []), ("free", "sealing", ["--exportable"]),
    ("signing", "signing-ecdsa", []), ("mac", "mac-hmac-sha256", []),
    ("agreement", "agreement", []), ("unwrapping", "unwrapping-rsa", []),
    ("surrogate", "surrogate", []), ("codes", "otp-hotp", []),
    ("waiting", "sealing", ["--pre-active"]),
  ]

  private static let policy = """
    [[grant]]
    id = "limited"
    users = [\(getuid())]
    operations = ["detokenise", "tokenise", "open-envelope", "audit-digest", "review-log", "verify-otp", "record-drill"]
    keys = ["merchant/*"]
    release = ["dpan"]
    rate = "1000/s"

    [[grant]]
    id = "all"
    users = [\(getuid())]
    operations = [
      "describe", "random", "who", "list-keys", "describe-key", "verify-payment-token", "open-payment-token", "provision-pass", "provision-trace", "sign-otp",
      "enrol-authenticator",
      "ecdh", "kdf", "seal", "unseal", "sign", "verify", "mac", "verify-mac", "unwrap", "release-handle", "status", "metrics", "lock", "unlock", "submit-share",
      "share-progress", "generate-key", "import-key", "import-block", "certificate-request", "attach-certificate", "activate-key", "suspend-key", "resume-key", "retire-key",
      "compromise-key", "destroy-key", "export-key", "back-up", "approve", "list-requests", "swap-policy", "reset-otp-lockout",
    ]
    keys = ["merchant/*"]
    release = ["last4", "network", "shared-secret", "derived-key"]
    stages = true
    rate = "100000/s"

    """

  @Test func everyCommandHasARow() {
    #expect(CommandRow.rows.map(\.name).sorted() == CommandTable.rows.map(\.name).sorted())
  }

  @Test func everyCommandEndsAsDocumented() throws {
    let ready = try box.ran(["ping", "--ready"])
    #expect(ready.code == 0 && ready.output == "serving\n", "\(ready)")
    for row in CommandRow.rows { try serve(row) }
    try inParallel { [box] row in
      let wrong = try box.ran(box.words(row, row.wrong), input: row.input)
      #expect(
        wrong.code == row.wrongCode && wrong.output.allSatisfy { $0 != "\u{1B}" }, "wrong: \(wrong)"
      )
      #expect(!wrong.complaint.isEmpty || !wrong.output.isEmpty, "\(wrong)")
    }
    // A health check tells locked from gone.
    for (words, code, output) in [
      (["ping", "--ready"], Int32(75), "locked\n"),
      (["ping", "--ready", "--json"], 75, #"{"ready":false,"state":"locked"}"# + "\n"),
    ] {
      let asked = try box.ran(words)
      #expect(asked.code == code && asked.output == output && asked.complaint.isEmpty, "\(asked)")
    }
    let gone = try box.ran(["ping", "--ready", "--socket", folder.path + "/none.sock"])
    #expect(gone.code == 1 && gone.output.isEmpty && !gone.complaint.isEmpty, "\(gone)")
    let metrics = try box.ran(["status", "--metrics"])
    #expect(
      metrics.code == 0 && metrics.output.contains("\nkist_state{state=\"locked\"} 1\n")
        && metrics.complaint.isEmpty, "\(metrics)")
    let unanswered = try box.ran(["status", "--metrics", "--socket", folder.path + "/none.sock"])
    #expect(
      unanswered.code == 1 && unanswered.output.hasSuffix("\nkist_up 0\n")
        && !unanswered.complaint.isEmpty, "\(unanswered)")
    let numbers = try box.ran(["status", "--metrics", "--json"])
    #expect(
      numbers.code == 0 && numbers.output.contains(#"{"labels":{"state":"locked"},"value":"1"}"#)
        && numbers.output.lines().count == 1, "\(numbers)")
    let none = try box.ran([
      "status", "--metrics", "--json", "--socket", folder.path + "/none.sock",
    ])
    #expect(
      none.code == 1
        && none.output.hasSuffix(
          #""name":"kist_up","samples":[{"labels":{},"value":"0"}],"type":"gauge"}]"# + "\n"),
      "\(none)")
    for words in [
      ["status", "--keys"], ["status", "--memory", "--metrics"],
      ["status", "--metrics", "--ready"],
    ] {
      let refused = try box.ran(words)
      #expect(refused.code == 2 && refused.output.isEmpty, "\(refused)")
    }
    let speaking = CommandTable.rows.filter { $0.daemon != nil }.map(\.name)
    try inParallel(speaking) { [box] row in
      let locked = try box.ran(box.words(row), input: row.input)
      #expect(locked.code == row.lockedCode, "locked: \(locked)")
      let none = try box.ran(
        box.words(row) + ["--socket", box.folder.path + "/none.sock"], input: row.input)
      #expect(
        none.code == 1 && none.output.isEmpty && !none.complaint.isEmpty, "no daemon: \(none)")
    }
    kill(daemon.process.processIdentifier, SIGSTOP)
    defer { kill(daemon.process.processIdentifier, SIGCONT) }
    try inParallel(speaking) { [box] row in
      let stopped = try box.ran(box.words(row) + ["--timeout", "1"], input: row.input)
      #expect(
        stopped.code == 1 && stopped.output.isEmpty && !stopped.complaint.isEmpty,
        "stopped: \(stopped)")
    }
    let ping = try box.ran(["ping", "--timeout", "1"])
    #expect(
      ping.complaint.contains(
        "no answer within 1 s (--timeout); the request may have been carried out"))
    for words in [["ping"], ["key", "list"], ["key", "retire", "merchant/none"]] {
      let unanswered = try box.ran(words + ["--json", "--timeout", "1"])
      let isTold =
        unanswered.output.wholeMatch(
          of: /\{"ok":false,"request_id":"[0-9a-f]{16}","status":"no-answer"\}\n/) != nil
      #expect(unanswered.code == 1 && isTold, "\(unanswered)")
    }
  }

  /// With good input, its answer in JSON, and a reader that goes away.
  private func serve(_ row: CommandRow) throws {
    let command = try #require(CommandTable.rows.first { $0.name == row.name })
    let good = try box.ran(box.words(row), input: row.input)
    #expect(good.code == row.code, "\(good)")
    #expect(row.code != 0 || good.complaint.isEmpty || row.name == "token open", "\(good)")
    guard row.name != "lock" else { return }
    if command.options.contains(.json) {
      let json = try box.ran(box.words(row) + ["--json"], input: row.input)
      #expect(
        json.code == (row.isOnce && !row.words.hasSuffix("N") ? 1 : row.code)
          || row.words.contains("N "), "\(json)")
      for line in json.output.split(separator: "\n") {
        #expect(throws: Never.self, "\(json)") {
          _ = try JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
        }
      }
    }
    let piped = try box.ran(box.words(row), input: row.input, closedOutput: true)
    // Commands that fail write nothing; doctor writes its findings, and ends with 3.
    #expect(
      piped.code == (row.code == 0 || row.name == "doctor" ? 1 : row.code), "closed pipe: \(piped)")
  }

  private func inParallel(_ names: [String]? = nil, _ body: @Sendable (CommandRow) throws -> Void)
    throws
  {
    let rows = CommandRow.rows.filter { names?.contains($0.name) ?? true }
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: rows.count) { place in
      do { try body(rows[place]) } catch { failures.add("\(rows[place].name): \(error)") }
    }
    #expect(failures.all.isEmpty)
  }
}

/// The sandbox, and how `kist` is run there.
struct Box: Sendable {
  let folder: Folder

  func words(_ row: CommandRow, _ text: String? = nil) -> [String] {
    let given = (text ?? row.words).split(separator: " ").map { word in
      let word = word.replacing("DIR", with: folder.path)
      return word.hasSuffix("N")
        ? word.dropLast() + UUID().uuidString.prefix(8).lowercased() : String(word)
    }
    return row.name.split(separator: " ").map(String.init) + given
  }

  /// - Parameter overridesModes: whether it may read what permissions forbid, as root may.
  func ran(
    _ words: [String], input: String = "", closedOutput: Bool = false, overridesModes: Bool = true
  ) throws -> Ended {
    try Ended(
      words, input: input, closedOutput: closedOutput,
      launcher: overridesModes || getuid() != 0 ? [] : Self.withoutOverride,
      environment: [
        "KIST_ENDPOINT": "unix:\(folder.path)/run/kist.sock",
        "KIST_ADMIN_ENDPOINT": "unix:\(folder.path)/run/admin.sock",
      ])
  }

  private static let withoutOverride = [
    "/usr/bin/setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps",
    "-dac_override,-dac_read_search",
  ]
}

/// A run of `kist` that must have ended by itself, within a minute and not by a signal.
struct Ended: CustomStringConvertible, Sendable {
  let words: [String]
  let code: Int32
  let output, complaint: String
  var description: String {
    "kist \(words.joined(separator: " ")): exit code \(code)\n\(output)\(complaint)"
  }

  init(
    _ words: [String], input: String, closedOutput: Bool, launcher: [String],
    environment: [String: String]
  ) throws {
    self.words = words
    // `setsid`: nothing may ask at the terminal of whoever runs the tests.
    let process = Process(), output = Pipe(), errors = Pipe(), entry = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
    process.arguments =
      ["--wait", "/usr/bin/timeout", "--signal=KILL", "60"] + launcher + [try Running.kist().path]
      + words
    process.environment = Processor.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
      .merging(environment) { $1 }
    process.standardInput = entry
    process.standardOutput = output
    process.standardError = errors
    if closedOutput { try output.fileHandleForReading.close() }
    try entry.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try entry.fileHandleForWriting.close()
    try process.run()
    if closedOutput { try output.fileHandleForWriting.close() }
    // First what may be more than a pipe holds.
    self.output =
      closedOutput
      ? "" : String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    code = process.terminationStatus
    // `timeout` passes a signal on as 128 and its number, and kills what hangs.
    #expect(process.terminationReason == .exit && code < 128, "\(description)")
  }
}

/// What went wrong on several threads.
final class Failures: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []
  var all: [String] { lock.withLock { texts } }
  func add(_ text: String) { lock.withLock { texts.append(text) } }
}
