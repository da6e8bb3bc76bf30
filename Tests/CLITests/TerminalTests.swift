import Foundation
import Testing

/// What a terminal shows while a passphrase is typed; `Fixtures/terminal.py` is the person at it.
@Suite struct TerminalTests {
  private struct Session: Decodable, Equatable {
    var shown: String
    /// Whether echo was off, prompt by prompt.
    var quiet: [Bool]
    var echoAfter: Bool
    var code, signal: Int32
  }

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func type(_ answers: [String], thenSignal signal: Int32 = 0, _ arguments: [String]) throws
    -> Session
  {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments =
      [
        Kist.fixtures + "/terminal.py", answers.joined(separator: ","), String(signal),
        try #require(Kist.path).path,
      ] + arguments
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try JSONDecoder().decode(Session.self, from: text)
  }

  private static let prompts =
    "New passphrase of the key store: \r\nNew passphrase of the key store, again: \r\n"

  @Test func aPassphraseDoesNotShow() throws {
    let session = try type(["correct horse", "correct horse"], ["keystore", "init", scratch.path])
    #expect(session.quiet == [true, true])
    #expect(session.echoAfter)
    #expect(session.code == 0)
    #expect(session.shown.hasPrefix(Self.prompts + "key store "))
    #expect(!session.shown.contains("horse"))
    #expect(scratch.has("keys/manifest.json"))
  }

  @Test func twoThatDiffer() throws {
    let session = try type(["one", "two"], ["keystore", "init", scratch.path])
    let shown = Self.prompts + "kist keystore init: the two passphrases differ\r\n"
    #expect(
      session == Session(shown: shown, quiet: [true, true], echoAfter: true, code: 1, signal: 0))
    #expect(!scratch.has("keys"))
  }

  @Test func oneThatIsTooLong() throws {
    let session = try type(
      [String(repeating: "x", count: 1100)], ["keystore", "init", scratch.path])
    let shown =
      "New passphrase of the key store: \r\nkist keystore init: the passphrase: longer than 1024 bytes\r\n"
    #expect(session == Session(shown: shown, quiet: [true], echoAfter: true, code: 1, signal: 0))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) func aSignalGivesTheTerminalBack(
    _ signal: Int32
  ) throws {
    let first = try type([], thenSignal: signal, ["keystore", "init", scratch.path])
    #expect(
      first
        == Session(
          shown: "New passphrase of the key store: \r\n", quiet: [true], echoAfter: true, code: -1,
          signal: signal))
    let second = try type(["one"], thenSignal: signal, ["keystore", "init", scratch.path])
    #expect(
      second
        == Session(
          shown: Self.prompts, quiet: [true, true], echoAfter: true, code: -1, signal: signal))
    #expect(!scratch.has("keys"))
  }

  /// Word by word, whole or four letters, several in a line; what is no word is asked for again.
  @Test func aShareDoesNotShow() throws {
    let words = try ShareCommandTests.share()
    let typed =
      ["xyzzy"] + words.prefix(20).map { String($0.prefix(4)).uppercased() } + [
        words[20...].joined(separator: " ")
      ]
    let session = try type(typed, ["share", "verify"])
    let prompts = (["Word 1", "Word 1 is not in the list. Word 1"] + (2...21).map { "Word \($0)" })
      .map { $0 + " of 33: \r\n" }.joined()
    let said = try Kist.run(
      ["share", "verify", "--share-fd", "0"], input: words.joined(separator: " ")
    ).output
    #expect(
      session
        == Session(
          shown: prompts + said.replacingOccurrences(of: "\n", with: "\r\n"),
          quiet: typed.map { _ in true }, echoAfter: true, code: 0, signal: 0))
  }

  /// As a hand scanner types it; a line that makes too many words of those before it is no reason
  /// to give up.
  @Test func aShareInOneLine() throws {
    let line = try ShareCommandTests.share().joined(separator: " ").uppercased()
    let said = try Kist.run(["share", "verify", "--share-fd", "0"], input: line).output
      .replacingOccurrences(of: "\n", with: "\r\n")
    let session = try type(["academic", line, line], ["share", "verify"])
    let prompts =
      "Word 1 of 33: \r\nWord 2 of 33: \r\nThose are more words than a share has: begin again. Word 1 of 33: \r\n"
    #expect(
      session
        == Session(
          shown: prompts + said, quiet: [true, true, true], echoAfter: true, code: 0, signal: 0))
  }

  /// A stray Return loses no word; Control-D does.
  @Test func aShareThatIsGivenUp() throws {
    let session = try type(["academic", "", "zero", "\u{4}"], ["share", "verify"])
    let prompts = [1, 2, 2, 3].map { "Word \($0) of 33: \r\n" }.joined()
    let shown = prompts + "kist share verify: given up: the terminal's input ended\r\n"
    #expect(
      session
        == Session(
          shown: shown, quiet: [true, true, true, true], echoAfter: true, code: 1, signal: 0))
  }

  @Test func thePassphraseOfAKeyFile() throws {
    let file = Kist.fixtures + "/ec-pbes2.pem"
    let arguments = ["key", "import", file, "--label", "a", "--role", "merchant-processing-ec"]
    let shown = "Passphrase of \(file): \r\nkist key import: \(file): the passphrase is wrong\r\n"
    #expect(
      try type(["wrong"], arguments)
        == Session(shown: shown, quiet: [true], echoAfter: true, code: 1, signal: 0))
  }
}
