import Configuration
import Testing

@Suite struct TOMLTests {
  static let mistakes = [
    Mistake("[audit]\norigin = 'x\n", "FILE:2:12: not TOML:"),
    Mistake("a = 1\na = 2\n", "FILE:2:"),
    Mistake("[audit]\n[audit]\n", "FILE:2:"),
    Mistake("= 1", "FILE:1:1: not TOML:"),
    Mistake("a", "FILE:1:"),
    Mistake("a = \u{1}", "FILE:1:"),
    Mistake("a = " + String(repeating: "[", count: 300), "FILE:1:"),
    // What fuzzing found: toml++ ends the process for these, in one way or another.
    Mistake("[[[grant]]\n", "FILE:1:"),
    Mistake("[!]\n", "FILE:1:"),
    Mistake("# x\n" + String(repeating: "a.", count: 1 << 18) + "a = 1\n", "FILE:2:1: not TOML: a key of too many parts"),
    Mistake("[a]\n[" + String(repeating: "a.", count: 1 << 18) + "a]\n", "FILE:2:1: not TOML: a key of too many parts"),
    Mistake(String(repeating: "#", count: 1 << 20 | 1), "FILE:1:1: not TOML: the file is longer than 1 MiB"),
  ]

  @Test(arguments: mistakes) func syntaxIsRefusedWhereItBreaks(_ mistake: Mistake) throws {
    let complaint = try #require(Schema.daemon.complaint(about: mistake.text))
    #expect(complaint.hasPrefix(mistake.complaint))
    #expect(complaint.contains("not TOML: "))
  }

  @Test func dotsInTextsAndCommentsAreNoDepth() {
    let dots = String(repeating: ".", count: 1000)
    #expect(Schema.daemon.complaint(about: "# \(dots)\n[audit]\norigin = \"x\"  # \(dots)\n[policy]\ndirectory = \"/a\(dots)\"\n") == nil)
  }

  @Test func invalidUTF8IsRefused() {
    #expect(throws: ConfigurationError.self) {
      try DaemonConfiguration.decode([UInt8]("[audit]\norigin = \"x\"\n#".utf8) + [0xC3, 0x28], file: "FILE", accounts: accounts)
    }
  }

  @Test func theLargestFileIsRead() {
    let text = "[audit]\norigin = \"x\"\n"
    let padding = String(repeating: "#", count: 1 << 20 - text.utf8.count)
    #expect(Schema.daemon.complaint(about: text + padding) == nil)
  }

  @Test func theFirstUnknownKeyOfTheFileIsNamed() {
    #expect(
      Schema.daemon.complaint(about: "[audit]\norigin = \"x\"\nzebra = 1\nantelope = 2\n")
        == "FILE:3:1: unknown key 'zebra'; expected one of directory, genesis, lost_with, low_space, origin, reserve, segment_age, segment_size")
  }
}
