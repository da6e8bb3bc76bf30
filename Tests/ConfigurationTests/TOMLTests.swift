import Configuration
import Policy
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
    Mistake(
      "# x\n" + String(repeating: "a.", count: 1 << 18) + "a = 1\n",
      "FILE:2:1: not TOML: more than 64 tables, arrays and parts of keys in one another"),
    Mistake(
      "[a]\n[" + String(repeating: "a.", count: 1 << 18) + "a]\n",
      "FILE:2:1: not TOML: more than 64 tables, arrays and parts of keys in one another"),
    // Quotes that are escaped, or do not end a string, hid the dots behind them; brackets over
    // several lines added up.
    Mistake(
      #""\"".a"# + String(repeating: ".a", count: 300_000) + " = 1\n",
      "FILE:1:1: not TOML: more than 64 tables"),
    Mistake(
      #"'\'.a"# + String(repeating: ".a", count: 300_000) + " = 1\n",
      "FILE:1:1: not TOML: more than 64 tables"),
    Mistake(
      "x = \"\"\"\"\"\"\n" + String(repeating: "a.", count: 100) + "a = 1\n",
      "FILE:2:1: not TOML: more than 64 tables"),
    Mistake(
      "x = \"\"\"a\"\"\"\"\"\n" + String(repeating: "a.", count: 100) + "a = 1\n",
      "FILE:2:1: not TOML: more than 64 tables"),
    Mistake(
      "x = '''\n\\'''\n" + String(repeating: "a.", count: 100) + "a = 1\n",
      "FILE:3:1: not TOML: more than 64 tables"),
    Mistake(
      "a = " + String(repeating: "[\n{ " + String(repeating: "b.", count: 30) + "b = ", count: 3),
      "FILE:3:1: not TOML: more than 64 tables"),
    Mistake(
      "a = [" + String(repeating: "1,", count: 1 << 16) + "]\n",
      "FILE:1:1: not TOML: more than 65536 keys and values"),
    Mistake(
      String(repeating: "[[a]]\n", count: 1 << 15 | 1),
      "FILE:32769:1: not TOML: more than 65536 keys and values"),
    Mistake(
      String(repeating: "#", count: 1 << 20 | 1),
      "FILE:1:1: not TOML: the file is longer than 1 MiB"),
  ]

  @Test(arguments: mistakes) func syntaxIsRefusedWhereItBreaks(_ mistake: Mistake) throws {
    let complaint = try #require(Schema.daemon.complaint(about: mistake.text))
    #expect(complaint.hasPrefix(mistake.complaint))
    #expect(complaint.contains("not TOML: "))
  }

  @Test func dotsInTextsAndCommentsAreNoDepth() {
    let dots = String(repeating: ".", count: 1000)
    #expect(
      Schema.daemon.complaint(
        about:
          "# \(dots)\n[audit]\norigin = \"x\"  # \(dots)\n[policy]\ndirectory = \"/a\(dots)\"\n")
        == nil)
  }

  /// The same in strings of every kind, in brackets and behind escapes.
  @Test(arguments: [
    #"x = "\"DOTS\\" # ""#, "x = 'DOTS\\'", "x = \"\"\"\n\\\"\"\"DOTS\n\"\" DOTS\"\"\"\"",
    "x = '''\nDOTS\\'''''", "x = [\"DOTS\", 'DOTS', # DOTS ]\n]",
    "x = { a = \"DOTS\" }", "'DOTS' = 1",
  ]) func dotsInStringsAreNoDepth(_ text: String) throws {
    let dots = text.replacing("DOTS", with: String(repeating: ".", count: 1000))
    let complaint = try #require(
      Schema.daemon.complaint(about: dots + "\n[audit]\norigin = \"x\"\n"))
    #expect(complaint.contains("unknown key"), "\(complaint)")
  }

  @Test func whatNestsLessIsAllowed() throws {
    let deep =
      String(repeating: "a.", count: 60) + "a = 1.5\nx = " + String(repeating: "[", count: 30)
      + String(repeating: "]", count: 30)
    let complaint = try #require(
      Schema.daemon.complaint(about: deep + "\n[audit]\norigin = \"x\"\n"))
    #expect(complaint.contains("unknown key 'a'"), "\(complaint)")
  }

  @Test func invalidUTF8IsRefused() {
    #expect(throws: ConfigurationError.self) {
      try DaemonConfiguration.decode(
        [UInt8]("[audit]\norigin = \"x\"\n#".utf8) + [0xC3, 0x28], file: "FILE", accounts: accounts)
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
        == "FILE:3:1: unknown key 'zebra'; expected one of directory, genesis, lost_with, low_space, origin, reserve, segment_age, segment_size"
    )
  }
}
