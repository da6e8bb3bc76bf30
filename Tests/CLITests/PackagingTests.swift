import Foundation
import Testing

/// The manual page knows every command, and the completions find them in the help.
@Suite struct PackagingTests {
  private static let packaging = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../packaging").standardizedFileURL

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.packaging.appendingPathComponent(path), encoding: .utf8)
  }

  /// Names of the commands and what the overview says of each.
  private func commands() throws -> [(words: [String], summary: String)] {
    try Kist.run(["--help"]).output.split(separator: "\n").filter { $0.hasPrefix("  kist ") }.map {
      line in
      let parts = line.dropFirst("  kist ".count).components(separatedBy: "  ").filter {
        !$0.isEmpty
      }
      return (
        parts[0].split(separator: " ").map(String.init),
        parts[1].trimmingCharacters(in: .whitespaces)
      )
    }
  }

  @Test func theManualHasEveryCommandAndOption() throws {
    let entries = try text("man/kist.1").components(separatedBy: "\n").filter {
      $0.hasPrefix(".It ")
    }
    for (words, _) in try commands() {
      let heading = ".It Nm Ic " + words.joined(separator: " ")
      let entry = try #require(
        entries.first { $0 == heading || $0.hasPrefix(heading + " ") }, "\(heading)")
      for option in try options(of: words) {
        #expect((entry + " ").contains("Fl -\(option) "), "\(words) --\(option)")
      }
    }
  }

  /// Those of its own; the manual says once what the others do.
  private func options(of words: [String]) throws -> [String] {
    try Kist.run(words + ["--help"]).output.matches(of: /(?m)^ {2}(?:-., )?--([a-z-]+)/).map {
      String($0.output.1)
    }.filter {
      !["json", "socket", "timeout", "wait"].contains($0)
    }
  }

  @Test func bash() throws {
    let commands = try commands()
    let nouns = try completed([])
    #expect(Set(nouns) == Set(commands.map { $0.words[0] } + ["--help", "--version"]))
    for noun in Set(commands.filter { $0.words.count == 2 }.map { $0.words[0] }) {
      #expect(
        Set(try completed([noun]))
          == Set(commands.filter { $0.words[0] == noun }.map { $0.words[1] } + ["--help"]))
    }
    #expect(try completed(["key", "import"]).isEmpty)
  }

  private func completed(_ words: [String]) throws -> [String] {
    let file = Self.packaging.appendingPathComponent("completions/kist.bash").path
    let line = (["kist"] + words + ["''"]).joined(separator: " ")
    let script =
      "source \(file); COMP_WORDS=(\(line)); COMP_CWORD=\(words.count + 1); _kist $0; echo \"${COMPREPLY[@]}\""
    return try output(of: script).split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// The programs with which zsh's completion reads the overview and a noun's help.
  @Test func zsh() throws {
    let programs = try text("completions/_kist").matches(of: /sed -n '([^']+)'/).map {
      String($0.output.1)
    }
    try #require(programs.count == 2)
    func read(_ words: String, by program: String) throws -> [String] {
      try output(of: "$0 \(words) --help | sed -n '\(program)'").split(separator: "\n").map(
        String.init)
    }
    let commands = try commands()
    let nouns = try read("", by: programs[0])
    for (noun, rows) in Dictionary(grouping: commands, by: { $0.words[0] }) {
      guard rows[0].words.count == 2 else {
        #expect(nouns.contains("\(noun):\(rows[0].summary)"))
        continue
      }
      #expect(nouns.contains(noun))
      #expect(try read(noun, by: programs[1]) == rows.map { "\($0.words[1]):\($0.summary)" })
    }
  }

  /// `$0` is the program.
  private func output(of script: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script, try #require(Kist.path).path]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }
}
