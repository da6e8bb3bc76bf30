import Foundation
import TestSupport
import Testing

/// What one run of `kist` says; the environment holds nothing else of Kist's.
struct Run {
  let code: Int32
  let output, complaint: String

  init(_ words: [String], environment: [String: String] = [:], input: String? = nil) throws {
    let running = try Running(words, environment: environment, input: input)
    output = String(
      decoding: running.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    complaint = String(
      decoding: running.errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    running.process.waitUntilExit()
    code = running.process.terminationStatus
  }
}

/// A `kist` under way; it ends with its owner.
final class Running {
  let process = Process()
  let output = Pipe()
  let errors = Pipe()

  /// - Parameter input: all that its standard input has, a few bytes; nil for that of the tests.
  init(_ words: [String], environment: [String: String] = [:], input: String? = nil) throws {
    process.executableURL = try Self.kist()
    process.arguments = words
    process.environment = Processor.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
      .merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = errors
    if let input {
      let pipe = Pipe()
      process.standardInput = pipe
      try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try pipe.fileHandleForWriting.close()
    }
    try process.run()
  }

  /// The program beside the tests.
  static func kist() throws -> URL {
    let folders = [
      URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent(), Bundle.main.bundleURL,
    ]
    let beside = folders.map { $0.appendingPathComponent("kist") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
    return try #require(beside, "kist is built with the tests")
  }

  deinit { if process.isRunning { process.terminate() } }

  func line() throws -> String { try line(of: output) }
  func complaint() throws -> String { try line(of: errors) }

  /// Asks it to stop, and waits.
  func stop() throws -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func line(of pipe: Pipe) throws -> String {
    var line = Data()
    while true {
      let byte = try pipe.fileHandleForReading.read(upToCount: 1) ?? Data()
      try #require(!byte.isEmpty, "it ended after \(String(decoding: line, as: UTF8.self))")
      guard byte != Data("\n".utf8) else { return String(decoding: line, as: UTF8.self) }
      line += byte
    }
  }
}
