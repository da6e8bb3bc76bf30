import Foundation
import Testing
@testable import kist

/// A command asks only for options that it declares: what is not declared could never stand there,
/// so asking is a slip.
@Suite struct DeclaredOptionsTests {
  private static let commands = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/kist/Commands")
    .standardizedFileURL

  @Test func whatAFileAsksForItsCommandsDeclare() throws {
    var found = 0
    let names = try #require(
      FileManager.default.enumerator(atPath: Self.commands.path)?.compactMap { $0 as? String })
    for name in names where name.hasSuffix(".swift") {
      let file = Self.commands.appendingPathComponent(name)
      let text = try String(contentsOf: file, encoding: .utf8)
      let commands = text.matches(of: /name: "([a-z -]+)(\\\(|")/).map { String($0.output.1) }
      let declared = CommandTable.rows.filter { row in
        commands.contains { $0 == row.name || $0.hasSuffix(" ") && row.name.hasPrefix($0) }
      }
      guard !declared.isEmpty else { continue }
      for asked in text.matches(of: /arguments\.[a-zA-Z]+\(\s*"([a-z-]+)"/) {
        found += 1
        #expect(
          declared.contains { $0.allOptions.contains { $0.name == asked.output.1 } },
          "\(file.lastPathComponent): --\(asked.output.1)")
      }
      // What the daemon's side of a command asks for is declared by its row, and by nothing else.
      #expect(
        !text.contains("Daemon(arguments)") || declared.allSatisfy { $0.daemon != nil },
        "\(file.lastPathComponent)")
    }
    #expect(found > 100)
  }

  @Test func nothingIsDeclaredTwice() {
    for command in CommandTable.rows {
      #expect(
        Set(command.allOptions.map(\.name)).count == command.allOptions.count, "\(command.name)")
    }
  }
}
