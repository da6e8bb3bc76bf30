import Audit
import Format
import Foundation
import Host
import KeyStore
import KistClient
import Testing

/// Start, reload, lock, unlock and stop of a real daemon.
@Suite(.serialized) struct DaemonLifeTests {
  @Test("SIGTERM closes the log and exits 0") func stops() throws {
    let daemon = try TestDaemon()
    let client = try Client(daemon.services)
    #expect(try client.random(32).count == 32)
    #expect(daemon.stop() == 0)
    let records = try daemon.records()
    #expect(records.last?.operation == "stop")
    #expect(!FileManager.default.fileExists(atPath: daemon.services.path))
    #expect { try client.ping() } throws: { $0 as? ClientError == .disconnected(request: 2) }
    // Nothing of zeros is left of the space that was reserved.
    let segment = try #require(
      try FileManager.default.contentsOfDirectory(atPath: daemon.auditDirectory).first {
        $0.hasSuffix(".log")
      })
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: daemon.auditDirectory + "/" + segment)).last
        == UInt8(ascii: "\n"))
  }

  @Test("what a locked daemon cannot know is shown as unknown, and not as none")
  func unknownWhileLocked() throws {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    func status(_ more: String...) throws -> String {
      let words =
        [TestDaemon.executable("kist").path, "status", "--socket", daemon.operators.path] + more
      return String(decoding: try Oracle.run(words), as: UTF8.self)
    }
    let open = try (text: status(), json: status("--json"))
    #expect(
      open.text.contains(/\nkeys +2\n/) && open.text.contains(/\naudit records +[1-9]/), "\(open)")
    #expect(
      open.json.contains(#""keys":2,"#) && open.json.contains(/"audit_size":[1-9]/), "\(open)")
    _ = try Client(daemon.operators).call(.lock)
    let locked = try (text: status(), json: status("--json"))
    #expect(
      locked.text.contains(/\nkeys +-\n/) && locked.text.contains(/\naudit records +-\n/),
      "\(locked)")
    #expect(!locked.json.contains("\"keys\"") && !locked.json.contains("audit_size"), "\(locked)")
  }

  @Test("nobody is asked to type a share that the daemon takes from nobody") func noShares() throws
  {
    let policy = TestDaemon.everything.replacing(
      "\"status\"", with: "\"status\", \"share-progress\"")
    let daemon = try TestDaemon(
      TestDaemon.Options(passphrase: "never split", usesCredential: false, policy: policy))
    defer { daemon.stop() }
    // Without a terminal, a question would be refused as that.
    let kist = [
      "setsid", "--wait", TestDaemon.executable("kist").path, "unlock", "--share", "--socket",
      daemon.operators.path,
    ]
    let why =
      "the daemon takes no shares: the key store's key is not split, or kist status says why"
    #expect(try Terminal(kist).end() == (1, "kist unlock: \(why)\n"))
  }

  @Test("a start after kill -9 is on the record, and the log goes on") func uncleanStart() throws {
    let daemon = try TestDaemon()
    _ = try Client(daemon.services).random(8)
    daemon.killHard()
    let again = try daemon.restarted()
    _ = try Client(again.services).random(8)
    #expect(again.stop() == 0)
    let operations = try again.records().map(\.operation)
    #expect(operations.contains("unclean-start"))
    #expect(operations.count { $0 == "random" } == 2)
  }

  @Test("a reload swaps a sound policy, and keeps the old one before a broken one") func reload()
    throws
  {
    let daemon = try TestDaemon()
    let client = try Client(daemon.services)
    _ = try client.random(8)
    let policy = daemon.directory.appendingPathComponent("policy.d/10-test.toml")

    try TestDaemon.write("[[grant]]\nid = \"broken\"\noperations = [\"no-such\"]\n", to: policy)
    let refused = try daemon.reload()
    #expect(refused.code == 78 && refused.text.contains("10-test.toml:3:"), "\(refused)")
    #expect(try client.random(8).count == 8)
    try TestDaemon.write(
      TestDaemon.everything.replacingOccurrences(of: "\"random\", ", with: ""), to: policy)
    #expect(try daemon.reload().code == 0)
    #expect(outcome { _ = try client.random(8) } == "denied")
    _ = try client.describe()
    #expect(daemon.stop() == 0)
    #expect(try daemon.records().count { $0.operation == "policy-swap" } == 1)
  }

  @Test("no policy ends the daemon at a reload, however deep it nests") func hostilePolicy() throws
  {
    let daemon = try TestDaemon()
    let client = try Client(daemon.services)
    let policy = daemon.directory.appendingPathComponent("policy.d/20-hostile.toml")
    for text in [
      #""\"".a"# + String(repeating: ".a", count: 300_000) + " = 1\n",
      "a = "
        + String(repeating: "[\n{ " + String(repeating: "b.", count: 200) + "b = ", count: 250),
    ] {
      try TestDaemon.write(text, to: policy)
      #expect(try daemon.reload().text.contains("20-hostile.toml:"))
      #expect(try client.random(8).count == 8)
    }
    #expect(daemon.stop() == 0)
  }

  @Test(
    "[OP-UNLOCK-1] [OP-LOCK-1] locked until an operator gives the passphrase; locking again wipes and says so"
  ) func passphrase() throws {
    let daemon = try TestDaemon(
      TestDaemon.Options(passphrase: "correct horse", usesCredential: false))
    defer { daemon.stop() }
    let shop = try Client(daemon.services)
    let operators = try Client(daemon.operators)
    #expect { _ = try shop.random(8) } throws: { ($0 as? ClientError)?.status == "locked" }
    #expect(try operators.status().state == "locked")
    #expect { try operators.unlock("wrong") } throws: { ($0 as? ClientError)?.status == "rejected" }
    #expect { _ = try shop.random(8) } throws: { ($0 as? ClientError)?.status == "locked" }
    try operators.unlock("correct horse")
    #expect(try operators.status().state == "serving")
    #expect(try shop.random(8).count == 8)
    #expect { try operators.unlock("correct horse") } throws: {
      ($0 as? ClientError)?.status == "rejected"
    }
    _ = try operators.call(.lock)
    #expect { _ = try shop.random(8) } throws: { ($0 as? ClientError)?.status == "locked" }
    try operators.unlock("correct horse")
    #expect(try shop.random(8).count == 8)
    let operations = try daemon.records().map(\.operation)
    for operation in ["unlock", "key-store-unlocked", "lock", "key-store-locked"] {
      #expect(operations.contains(operation))
    }
    // In words, for the person on call.
    let journal = daemon.errors(until: "it is open already")
    #expect(
      journal.contains("event=unlock-failed reason=\"the passphrase is wrong\""), "\(journal)")
    #expect(
      journal.contains(
        "event=unlock-failed reason=\"it is open already, or the daemon is stopping\""))
  }

  @Test("[WIRE-16] operators' requests are refused on the services' socket") func sockets() throws {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    for opcode in [Opcode.status, .lock, .unlock, .importKey] {
      #expect { _ = try client.call(opcode) } throws: { refusal("denied")($0) }
    }
    #expect(try daemon.records().count { $0.policy?.denial == "wrong-socket" } == 4)
    #expect(try Client(daemon.operators).status().state == "serving")
  }

  @Test("the wrong kind of key store stops the start") func kinds() throws {
    #expect {
      _ = try TestDaemon(TestDaemon.Options(kind: .production, configuredKind: .rehearsal))
    } throws: { "\($0)".contains("ended with 77") }
    #expect {
      _ = try TestDaemon(TestDaemon.Options(kind: .rehearsal, configuredKind: .production))
    } throws: { "\($0)".contains("ended with 77") }
    let production = try TestDaemon(TestDaemon.Options(kind: .production))
    #expect(try Client(production.services).describe().rehearsal == false)
    #expect(production.stop() == 0)
  }

  @Test("a log that is not the one the key store knows stops the start with 74") func replacedLog()
    throws
  {
    let daemon = try TestDaemon()
    _ = try Client(daemon.services).random(8)
    #expect(daemon.stop() == 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: daemon.auditDirectory) {
      try FileManager.default.removeItem(atPath: daemon.auditDirectory + "/" + name)
    }
    #expect { _ = try daemon.restarted() } throws: { "\($0)".contains("ended with 74") }
  }

  @Test(
    "a mistake in the configuration: where, what, and exit 78",
    arguments: ["--config", "--check-config"]) func mistake(_ mode: String) throws
  {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-\(UUID().uuidString.prefix(8)).toml")
    try TestDaemon.write(
      "state_directory = \"/tmp\"\nstat = 1\n[audit]\norigin = \"x\"\n", to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let said = try kistd(
      mode == "--config" ? ["--config", file.path] : ["--check-config", "--config", file.path])
    #expect(said.code == 78)
    #expect(said.text.contains("\(file.path):2:1:"), "\(said.text)")
  }

  @Test(
    "in the journal a line has its priority, and elsewhere it has none", arguments: [true, false])
  func priority(_ isJournal: Bool) throws {
    let process = Process(), output = Pipe()
    var status = stat()
    try #require(unsafe fstat(output.fileHandleForWriting.fileDescriptor, &status) == 0)
    process.executableURL = TestDaemon.executable("kistd")
    process.arguments = ["--check-config", "--config", "/nowhere/kist.toml"]
    process.environment = [
      "JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino + (isJournal ? 0 : 1))"
    ]
    process.standardError = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(
      said.hasPrefix(isJournal ? "<3>kistd: " : "kistd: ")
        && said.split(separator: "\n").allSatisfy { $0.hasPrefix("<3>") == isJournal }, "\(said)")
  }

  @Test("what the program is made of: each library as compiled for and as loaded, and the compiler")
  func version() throws {
    let brief = try kistd(["--version"])
    #expect(brief.code == 0 && brief.text == "kistd \(ProductVersion.text)\n")
    let said = try kistd(["--version", "--verbose"])
    #expect(said.code == 0 && said.text.hasPrefix(brief.text))
    let lines = said.text.split(separator: "\n").dropFirst()
    let versions = try lines.dropLast().map {
      try #require($0.wholeMatch(of: /(\S+) ([0-9.]+), compiled for ([0-9.]+)/)?.output)
    }
    #expect(versions.map(\.1) == ["OpenSSL", "libsodium", "libseccomp", "glibc"])
    // On the machine that compiled them they are the same.
    #expect(versions.allSatisfy { $0.2 == $0.3 }, "\(said.text)")
    #expect(lines.last?.hasPrefix("compiled by Clang ") == true)
    let wrong = try kistd(["--version", "--verbosely"])
    #expect(
      wrong.code == 64
        && wrong.text.hasPrefix("kistd: --version takes --verbose and nothing else\n"))
  }

  /// What the program prints on both of its outputs, and its exit code.
  private func kistd(_ arguments: [String]) throws -> (text: String, code: Int32) {
    let process = Process(), output = Pipe()
    process.executableURL = TestDaemon.executable("kistd")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text, process.terminationStatus)
  }
}

/// The status of a call: `ok`, or that of its refusal.
func outcome(_ call: () throws -> Void) -> String {
  do {
    try call()
    return "ok"
  } catch {
    if case .disconnected = error as? ClientError { return "disconnected" }
    return (error as? ClientError)?.status ?? "\(error)"
  }
}

extension ClientError {
  var status: String? {
    guard case .refused(let refusal) = self else { return nil }
    return refusal.status
  }
}

extension Client {
  func status() throws -> StatusReport {
    try StatusReport(try call(.status))
  }

  func unlock(_ passphrase: String) throws {
    let bytes = Array(passphrase.utf8)
    _ = try call(.unlock, UnlockRequest(passphrase: bytes.span))
  }
}
