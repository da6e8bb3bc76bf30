import Foundation

/// A program of the tests that runs beside them, and says and hears lines.
final class Companion {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())

  /// - Parameter stopping: a process that is stopped before.
  init(_ script: String, _ words: [String], stopping: Int32? = nil) throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      script
    ).path
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [Oracle.python, path] + words
    process.standardInput = input
    process.standardOutput = output
    if let stopping { kill(stopping, SIGSTOP) }
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// The next line that it prints; what came of it when it has ended.
  func line() -> String {
    var line = ""
    while !line.hasSuffix("\n") {
      let more = output.fileHandleForReading.readData(ofLength: 1)
      guard !more.isEmpty else { break }
      line += String(decoding: more, as: UTF8.self)
    }
    return line
  }

  func tell(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }
}
