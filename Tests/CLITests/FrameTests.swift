import Foundation
import Testing

@Suite struct FrameTests {
  @Test(arguments: ["-h", "--help"]) func helpIsAnAnswer(_ flag: String) throws {
    let overview = try Kist.run([flag])
    #expect(overview.code == 0)
    #expect(overview.output.hasPrefix("Usage: kist NOUN VERB [OPTIONS]\n"))
    #expect(overview.complaint.isEmpty)
    let noun = try Kist.run(["policy", flag])
    #expect(noun.code == 0)
    #expect(noun.output.hasPrefix("Usage: kist policy VERB [OPTIONS]\n"))
    let command = try Kist.run(["policy", "check", "--bad", flag])
    #expect(command.code == 0)
    #expect(command.output.hasPrefix("Usage: kist policy check "))
  }

  @Test func everyCommandOfTheOverviewExplainsItself() throws {
    let lines = try Kist.run(["--help"]).output.split(separator: "\n").filter {
      $0.hasPrefix("  kist ")
    }
    #expect(lines.count >= 3)
    for line in lines {
      let name = line.dropFirst(2).components(separatedBy: "  ")[0]
      let help = try Kist.run(name.split(separator: " ").dropFirst().map(String.init) + ["--help"])
      #expect(help.code == 0)
      #expect(help.output.hasPrefix("Usage: \(name)"))
      #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }

  @Test func version() throws {
    let transcript = try Kist.run(["--version"])
    #expect(transcript.code == 0)
    #expect(transcript.output.hasPrefix("kist "))
    #expect(transcript.complaint.isEmpty)
  }

  @Test(arguments: [
    ([], "Usage: kist NOUN VERB"),
    (["frob"], "kist: unknown command 'frob'\nTry 'kist --help'.\n"),
    (["--frob"], "kist: unknown command '--frob'\nTry 'kist --help'.\n"),
    (
      ["tokn", "open"],
      "kist: unknown command 'tokn'; did you mean 'kist token'?\nTry 'kist --help'.\n"
    ),
    (
      ["statsu"],
      "kist: unknown command 'statsu'; did you mean 'kist status'?\nTry 'kist --help'.\n"
    ),
    (
      ["token", "opn"],
      "kist: unknown command 'token opn'; did you mean 'kist token open'?\nTry 'kist token --help'.\n"
    ),
    (["policy"], "Usage: kist policy VERB"),
    (["policy", "frob"], "kist: unknown command 'policy frob'\nTry 'kist policy --help'.\n"),
    (
      ["policy", "check", "--jsno"],
      "kist: unknown option '--jsno'; did you mean '--json'?\nTry 'kist policy check --help'.\n"
    ),
    (
      ["policy", "check", "a", "b"],
      "kist: unexpected argument 'b'\nTry 'kist policy check --help'.\n"
    ),
    (
      ["policy", "check", "--frob"],
      "kist: unknown option '--frob'\nTry 'kist policy check --help'.\n"
    ),
    (["policy", "check", "-j"], "kist: unknown option '-j'\nTry 'kist policy check --help'.\n"),
    (
      ["policy", "check", "--json=yes"],
      "kist: --json takes no value\nTry 'kist policy check --help'.\n"
    ),
    (
      ["policy", "check", "--json", "--json"],
      "kist: --json is given twice\nTry 'kist policy check --help'.\n"
    ),
    (
      ["policy", "check", "--", "--json", "x"],
      "kist: unexpected argument 'x'\nTry 'kist policy check --help'.\n"
    ),
    (
      ["policy", "explain", "--user"],
      "kist: --user needs a value\nTry 'kist policy explain --help'.\n"
    ),
    (
      ["policy", "explain", "--user", "root"],
      "kist: --op is missing\nTry 'kist policy explain --help'.\n"
    ),
    (
      ["policy", "explain", "--op", "random"],
      "kist: --user is missing\nTry 'kist policy explain --help'.\n"
    ),
    (
      ["policy", "explain", "--op", "frob"],
      "kist: unknown operation 'frob'; there are ping, describe"
    ),
    (
      ["policy", "explain", "--op", "random", "--user", "4000000000"],
      "kist: the groups of user 4000000000 are not known; name them with --group"
    ),
  ])
  func whatIsNotUnderstoodGoesToStandardError(_ arguments: [String], _ complaint: String) throws {
    let transcript = try Kist.run(arguments)
    #expect(transcript.code == 2)
    #expect(transcript.output.isEmpty)
    #expect(transcript.complaint.hasPrefix(complaint))
  }
}
