import Foundation

/// A command under way; what it says on either stream, in the order in which it comes.
final class Terminal {
  private let process = Process()
  private let screen = Pipe()
  private var shown = ""

  init(_ words: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = screen
    process.standardError = screen
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// Up to the end of the line that has `mark`.
  func text(until mark: String) -> String {
    while !shown.contains(mark) || !shown.hasSuffix("\n") {
      let more = screen.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      shown += String(decoding: more, as: UTF8.self)
    }
    return shown
  }

  func end() -> (code: Int32, text: String) {
    shown += String(decoding: screen.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, shown)
  }
}
