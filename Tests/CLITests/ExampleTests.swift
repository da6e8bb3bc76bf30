import Foundation
import TestSupport
import Testing
@testable import kist

/// The examples in the help texts are understood as they stand.
@Suite struct ExampleTests {
  private static let examples = CommandTable.rows.flatMap { command -> [String] in
    guard let text = command.usage.components(separatedBy: "\nExample").dropFirst().first else {
      return []
    }
    let lines = text.replacing(/\\\n +/, with: "").split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    return lines.map { $0.replacing("runuser -u kist -- ", with: "") }.filter {
      $0.hasPrefix("kist ")
    }
  }

  @Test func thereAreSome() { #expect(Self.examples.count > 15) }

  @Test(arguments: examples) func isUnderstood(_ example: String) throws {
    let scratch = try Scratch()
    let example = example.replacing("/var/", with: scratch.path + "/")
    let script =
      "cd '\(scratch.path)' && kist() { setsid --wait '\(try #require(Kist.path).path)' \"$@\" </dev/null; }; \(example)"
    let process = Process()
    let complaint = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.environment = Processor.environment.merging([
      "PATH": "/usr/bin:/bin", "KIST_SANDBOX": scratch.path,
    ]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = complaint
    try process.run()
    let text = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus != 2 && !text.contains("Usage:"), "\(text)")
  }
}
