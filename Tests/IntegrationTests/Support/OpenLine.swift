import Foundation

/// A process of some user that keeps one connection open, and asks over it when it is told to.
final class OpenLine {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())

  init(_ path: String, as uid: UInt32, gid: UInt32, groups: [UInt32]) throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("asks.py")
    let list =
      groups.isEmpty
      ? "--clear-groups" : "--groups=\(groups.map(String.init).joined(separator: ","))"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The script is read as root: other users may have no way to it.
    process.arguments =
      ["setpriv", "--reuid=\(uid)", "--regid=\(gid)", list, "/usr/bin/python3", "-c"]
      + [try String(contentsOf: script, encoding: .utf8), path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// The status of the reply, or `closed`.
  func ask() throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    var line = ""
    while !line.hasSuffix("\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw TestDaemon.Failure("it ended: \(line)") }
      line += String(decoding: more, as: UTF8.self)
    }
    return String(line.dropLast())
  }
}
