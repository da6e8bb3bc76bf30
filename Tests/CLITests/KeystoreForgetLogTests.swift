import Foundation
import TestSupport
import Testing

/// The command for a store that is intact while its log is lost.
@Suite struct KeystoreForgetLogTests {
  private let scratch: Scratch
  private var log: String { scratch.path + "/audit" }
  private var mark: String { scratch.path + "/keys/restored.json" }

  init() throws {
    try #require(TestArena.ready)
    scratch = try Scratch()
    try #require(
      try Kist.run(["keystore", "init", scratch.path, "--passphrase-fd", "0"], input: "x").code == 0
    )
  }

  private func forget(_ more: String...) throws -> Transcript {
    try Kist.run(["keystore", "forget-log", scratch.path, "--log", log] + more)
  }

  @Test("it names the digest, and again when it is asked again") func marked() throws {
    let first = try forget("--json")
    #expect(first.code == 0 && first.complaint.isEmpty)
    let digest = try #require(first.output.firstMatch(of: /"digest":"([0-9a-f]{64})"/)).output.1
    let before = try Data(contentsOf: URL(fileURLWithPath: mark))
    let refused =
      "kist keystore forget-log: \(scratch.path)/keys: it is marked as a copy already, with the digest \(digest)\n"
    #expect(try forget() == Transcript(code: 1, complaint: refused))
    #expect(try Data(contentsOf: URL(fileURLWithPath: mark)) == before)
  }

  @Test("beside a log, and without a store, nothing is changed") func refused() throws {
    try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
    try Data("x".utf8).write(to: URL(fileURLWithPath: log + "/00000000000000000000.log"))
    #expect(
      try forget()
        == Transcript(
          code: 1,
          complaint: "kist keystore forget-log: \(log): there is a log; nothing was changed\n"))
    #expect(!FileManager.default.fileExists(atPath: mark))
    let nowhere = try Kist.run([
      "keystore", "forget-log", scratch.path + "/none", "--log", scratch.path + "/none",
    ])
    #expect(nowhere.code == 1 && nowhere.complaint.contains("/none/keys: there is no key store"))
  }
}
