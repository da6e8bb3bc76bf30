import Foundation
import Testing

/// What a custodian is told of a sheet before any daemon hears of it.
@Suite struct ShareCommandTests {
  /// The words of a share of 32 bytes that shamir-mnemonic made.
  static func share() throws -> [String] {
    struct Row: Decodable { let shares: [String] }
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../interop/slip39_shares.json")
    let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: file))
    return try #require(
      rows.lazy.map { $0.shares[0].split(separator: " ").map(String.init) }.first { $0.count == 33 }
    )
  }

  private func verify(_ words: [String], _ options: [String] = []) throws -> Transcript {
    try Kist.run(
      ["share", "verify", "--share-fd", "0"] + options, input: words.joined(separator: " "))
  }

  @Test func aSheetThatIsInOrder() throws {
    let words = try Self.share()
    let said = try verify(words)
    #expect(said.code == 0 && said.complaint.isEmpty)
    #expect(
      said.output.wholeMatch(of: /the words are in order; fingerprint [0-9a-f]{10}\n/) != nil,
      "\(said)")
    #expect(try verify(words.map { String($0.prefix(4)).uppercased() }) == said)
    let json = try verify(words, ["--json"]).output
    #expect(json == "{\"fingerprint\":\"\(said.output.suffix(11).prefix(10))\",\"ok\":true}\n")
  }

  @Test func aSheetThatIsNot() throws {
    let words = try Self.share()
    var swapped = words
    swapped.swapAt(10, 11)
    let rows: [([String], String)] = [
      (swapped, "at least one word is wrong: compare the sheet word by word"),
      (Array(words.dropLast()), "a share has 33 words, not 32"),
      (words + ["academic"], "a share has 33 words, not 34"),
      ([], "a share has 33 words, not 0"), (words.prefix(4) + ["aca"], "word 5 is not in the list"),
      (["correct", "horse"], "word 1 is not in the list"),
      (words + [String(repeating: " ", count: 512)], "--share-fd 0: longer than 512 bytes"),
    ]
    for (row, complaint) in rows {
      #expect(
        try verify(row) == Transcript(code: 1, complaint: "kist share verify: \(complaint)\n"))
    }
  }

  /// Without a terminal, it would complain of that if it asked for anything.
  @Test func aStoreThatWasNeverSplit() throws {
    let scratch = try Scratch()
    #expect(
      try Kist.run(
        ["keystore", "init", scratch.path, "--passphrase-fd", "0"], input: "a passphrase\n"
      ).code == 0)
    let store = scratch.path + "/keys"
    let answer = try Kist.runDetached([
      "keystore", "credential", store, "--credential-out", scratch.path + "/out",
    ])
    #expect(
      answer
        == Transcript(
          code: 1,
          complaint:
            "kist keystore credential: \(store): the key of this key store was never split into shares\n"
        ))
  }

  @Test func nothingIsReadFromArgumentsOrWithoutATerminal() throws {
    let answer = try Kist.runDetached(["share", "verify"])
    #expect(
      answer
        == Transcript(
          code: 1,
          complaint:
            "kist share verify: there is no terminal to type a secret at; give it with --share-fd\n"
        ))
    #expect(
      try Kist.run(["share", "verify", "academic"]).complaint.hasPrefix(
        "kist: unexpected argument 'academic'"))
    #expect(
      try Kist.run(["unlock", "--share-fd", "0"]).complaint.hasPrefix(
        "kist: --share-fd goes with --share\n"))
    #expect(
      try Kist.run(["unlock", "--share", "--passphrase-fd", "0"]).complaint.hasPrefix(
        "kist: --share and --passphrase-fd do not go together\n"))
  }
}
