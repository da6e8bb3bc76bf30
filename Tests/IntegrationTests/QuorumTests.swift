import Audit
import Encoding
import Foundation
import KistClient
import Testing
import Wire

/// Custodians at a real daemon, each with `kist` as a Unix user of their own.
@Suite(.serialized, .enabled(if: getuid() == 0, "needs root to be several users")) struct QuorumTests {
  private static let custodians = ["daemon", "bin", "games"]
  private static let policy =
    TestDaemon.everything + """

      [[grant]]
      id = "custodians"
      users = ["daemon", "bin", "games", "man"]
      operations = ["submit-share", "share-progress"]
      """

  private struct Answer: Equatable {
    let code: Int32
    let text: String
  }

  private let daemon: TestDaemon

  init() throws {
    var options = TestDaemon.Options(usesCredential: false, custodians: Self.custodians)
    options.policy = Self.policy
    daemon = try TestDaemon(options)
  }

  @Test("[OP-SHARE-1] [OP-SHARE-5] two users open the store from sessions of their own, and the log says who") func twoUsers() throws {
    defer { daemon.stop() }
    #expect(try kist(["share", "progress"], as: "man") == Answer(code: 0, text: "0 of 2 shares\n"))
    let first = try unlock(as: "daemon", with: 0)
    let fingerprints = try daemon.sheets.map { try fingerprint($0) }
    #expect(first.code == 0)
    #expect(first.text.hasPrefix("share \(fingerprints[0]) taken: 1 of 2 shares, until 20"), "\(first)")
    #expect(try kist(["share", "progress"], as: "man").text.hasPrefix("1 of 2 shares, until 20"))
    #expect { _ = try Client(daemon.services).random(8) } throws: { ($0 as? ClientError)?.status == "locked" }
    let last = try unlock(as: "games", with: 2)
    #expect(last.code == 0 && last.text.hasPrefix("unlocked"), "\(last)")
    #expect(try Client(daemon.services).random(8).count == 8)
    let handed = try daemon.records().filter { $0.opcode == .submitShare }
    #expect(handed.map(\.actor?.uid) == [1, 5])
    #expect(handed.map { $0.inputs.share.map(Hex.encode) } == [fingerprints[0], fingerprints[2]])
    #expect(try daemon.records().contains { $0.operation == "key-store-unlocked" })
  }

  @Test("[OP-SHARE-2] who has another's sheet, an old one or none gets nowhere, and learns no more than to compare fingerprints") func refusals() throws {
    defer { daemon.stop() }
    #expect(try unlock(as: "daemon", with: 0).code == 0)
    for (user, sheet) in [("bin", 0), ("man", 1), ("daemon", 0), ("daemon", 1)] {
      let answer = try unlock(as: user, with: sheet)
      #expect(answer == Answer(code: 1, text: Self.refusal(try fingerprint(daemon.sheets[sheet]))), "\(user), \(sheet)")
    }
    // A slip of the pen is found before the daemon is asked.
    var words = daemon.sheets[1].split(separator: " ")
    words.swapAt(6, 7)
    #expect(
      try kist(["unlock", "--share", "--share-fd", "0"], as: "bin", input: words.joined(separator: " "))
        == Answer(code: 1, text: "kist unlock: at least one word is wrong: compare the sheet word by word\n"))
    #expect(try kist(["share", "progress"], as: "bin").text.hasPrefix("1 of 2 shares"))
    #expect { _ = try Client(daemon.services).random(8) } throws: { ($0 as? ClientError)?.status == "locked" }
    #expect(try unlock(as: "bin", with: 1).text.hasPrefix("unlocked"))
  }

  @Test("[OP-SHARE-3] neither a sheet nor what the sheets give is in memory after the unlocking") func residue() throws {
    defer { daemon.stop() }
    let kek = [UInt8](try Data(contentsOf: daemon.directory.appendingPathComponent("kek")))
    var secrets = ["kek": kek]
    for (number, sheet) in daemon.sheets.enumerated() { secrets["sheet-\(number)"] = Array(sheet.utf8.dropFirst(40).prefix(40)) }
    #expect(try unlock(as: "daemon", with: 0).code == 0)
    try ResidueTests.expectNothing(of: secrets, in: daemon, "with one share there")
    #expect(try unlock(as: "bin", with: 1).text.hasPrefix("unlocked"))
    try ResidueTests.expectNothing(of: secrets, in: daemon, "after the unlocking")
  }

  private static func refusal(_ fingerprint: String) -> String {
    "kist unlock: rejected; the share is not yours, not of this key, or there already; 'kist share verify' shows its fingerprint, \(fingerprint)\n"
  }

  private func unlock(as user: String, with sheet: Int) throws -> Answer {
    try kist(["unlock", "--share", "--share-fd", "0"], as: user, input: daemon.sheets[sheet] + "\n")
  }

  private func fingerprint(_ sheet: String) throws -> String {
    let answer = try run([TestDaemon.executable("kist").path, "share", "verify", "--share-fd", "0"], sheet)
    return String(answer.text.trimmingCharacters(in: .newlines).suffix(10))
  }

  private func kist(_ words: [String], as user: String, input: String = "") throws -> Answer {
    let privileges = ["setpriv", "--reuid=\(user)", "--regid=operator", "--clear-groups"]
    return try run(privileges + [TestDaemon.executable("kist").path] + words + ["--socket", daemon.operators.path], input)
  }

  private func run(_ words: [String], _ input: String) throws -> Answer {
    let process = Process(), output = Pipe()
    // Into a pipe, a command that ends before it has read all would end the tests with SIGPIPE.
    let source = daemon.directory.appendingPathComponent("typed")
    try TestDaemon.write(input, to: source)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    (process.standardOutput, process.standardError, process.standardInput) = (output, output, try FileHandle(forReadingFrom: source))
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Answer(code: process.terminationStatus, text: text)
  }
}
