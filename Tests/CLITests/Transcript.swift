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
  private static let executable = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath()

  static let path: URL? = {
    // The test bundle and the product stand in one folder; a runner may start the bundle from
    // elsewhere.
    let folders = [
      executable.deletingLastPathComponent(), Bundle.main.bundleURL,
      Bundle.main.bundleURL.deletingLastPathComponent(),
    ]
    return folders.map { $0.appendingPathComponent("kist") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }()

  static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures").path

  /// - Parameters:
  ///   - input: what stands on standard input.
  ///   - environment: what is added to the tests' own, in which no endpoint is set.
  static func run(_ arguments: [String], input: String = "", environment: [String: String] = [:])
    throws -> Transcript
  {
    try run(try #require(path, "kist is built with the tests").path, arguments, input, environment)
  }

  /// As another user, who is let in at the operators' socket.
  static func run(_ arguments: [String], as user: String, input: String) throws -> Transcript {
    try run(
      "/usr/bin/setpriv",
      ["--reuid=\(user)", "--regid=operator", "--clear-groups", try #require(path).path]
        + arguments, input, [:])
  }

  /// Without a controlling terminal, whoever runs the tests.
  static func runDetached(_ arguments: [String]) throws -> Transcript {
    try run("/usr/bin/setsid", ["--wait", try #require(path).path] + arguments, "", [:])
  }

  /// In `command`, the program is `$0`.
  static func run(inShell command: String) throws -> Transcript {
    try run("/bin/sh", ["-c", command, try #require(path).path], "", [:])
  }

  private static func run(
    _ program: String, _ arguments: [String], _ input: String, _ environment: [String: String]
  ) throws -> Transcript {
    let process = Process()
    let output = Pipe()
    let complaint = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KIST_") }
      .merging(environment) { $1 }
    process.standardInput = try file(with: input)
    process.standardOutput = output
    process.standardError = complaint
    try process.run()
    let texts = [output, complaint].map {
      String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    process.waitUntilExit()
    return Transcript(code: process.terminationStatus, output: texts[0], complaint: texts[1])
  }

  /// A file without a name. Into a pipe, a command that ends before it has read all would end the
  /// tests with SIGPIPE.
  private static func file(with input: String) throws -> FileHandle {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-input-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: place) }
    try Data(input.utf8).write(to: place)
    return try FileHandle(forReadingFrom: place)
  }
}

/// A directory of one test's own.
final class Scratch {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-cli-\(UUID().uuidString)"
  ).path

  init() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

  @discardableResult func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    return path + "/" + name
  }
}
