import Format
import Foundation

/// A scan of another process's memory while that works; `Tests/Scanner` does it.
final class LiveScan {
  struct Result {
    /// Each as its name, its form and where it was.
    var finds: [String] = []
    var figures: [String: Int] = [:]
  }

  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private var text = ""

  /// Starts it; each secret is looked for in every round.
  init(_ pid: Int32, rounds: Int, for secrets: [String: [UInt8]]) throws {
    process.executableURL = TestDaemon.executable("scan-memory")
    process.arguments = [String(pid), String(rounds)]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try write(secrets)
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
  }

  /// Waits for the end of the rounds, and looks in what they saw of threads' stacks for secrets
  /// that are known only now.
  ///
  /// - Parameter isControl: whether secrets lie open, so that it must find some.
  func finish(lookingFor later: [String: [UInt8]] = [:], isControl: Bool = false) throws -> Result {
    waitForRounds()
    try write(later)
    try input.fileHandleForWriting.close()
    text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestDaemon.Failure("the scan ended with \(process.terminationStatus)")
    }
    var result = Result()
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if words[0] == "find" { result.finds.append(words.dropFirst().joined(separator: " ")) }
      guard words[0] == "rounds" else { continue }
      for place in stride(from: 0, to: words.count - 1, by: 2) {
        result.figures[words[place]] = Int(words[place + 1])
      }
    }
    let real = result.finds.count { !$0.hasPrefix("canary ") }
    print("soak: \(isControl ? "open secrets found, as they must be" : "secrets found") = \(real)")
    print(
      "soak: live scans = \(result.figures["rounds"] ?? 0)\nsoak: bytes scanned = \(result.figures["read"] ?? 0)"
    )
    return result
  }

  func waitForRounds() {
    while !text.contains("scanned\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { return }
      text += String(decoding: more, as: UTF8.self)
    }
  }

  private func write(_ secrets: [String: [UInt8]]) throws {
    let lines = secrets.map { "\($0.key) \(Hex.encode($0.value))\n" }.joined()
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
  }
}
