import Foundation
import Testing

/// What one run of `kist` says.
struct Transcript: Equatable {
  var code: Int32 = 0
  var output = ""
  var complaint = ""
}

/// The `kist` built beside the tests.
enum Kist {
  private static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()

  static let path: URL? = {
    // The test bundle and the product stand in one folder; a runner may start the bundle from elsewhere.
    let folders = [executable.deletingLastPathComponent(), Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
    return folders.map { $0.appendingPathComponent("kist") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  static func run(_ arguments: [String]) throws -> Transcript {
    let process = Process()
    let (output, complaint) = (Pipe(), Pipe())
    let kist: URL = try #require(path, "kist is built with the tests")
    process.executableURL = kist
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (output, complaint)
    try process.run()
    let texts = [output, complaint].map { String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
    process.waitUntilExit()
    return Transcript(code: process.terminationStatus, output: texts[0], complaint: texts[1])
  }
}
