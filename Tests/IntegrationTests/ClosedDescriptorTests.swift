import Foundation
import KistClient
import Testing

/// Programs that are started with standard input, output or error closed, or on a full disk.
@Suite struct ClosedDescriptorTests {
  /// The shell's command with the words behind it: its exit code and what stands on standard error.
  private func shell(_ script: String, _ words: [String]) throws -> (code: Int32, complaint: String)
  {
    let process = Process()
    let complaint = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, "sh"] + words
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = complaint
    try process.run()
    let text = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test(
    "what nobody can read is no success", arguments: ["kist", "kistd", "kist-claimd"],
    ["/dev/full", "&-"])
  func unwritten(_ program: String, _ output: String) throws {
    let said = try shell("exec \"$@\" >\(output)", [TestDaemon.executable(program).path, "--help"])
    #expect(said.code != 0 && said.complaint.hasPrefix("\(program): standard output: "), "\(said)")
  }

  @Test("an answer does not go into the socket that would have standard output's number")
  func answer() throws {
    let daemon = try TestDaemon()
    let said = try shell(
      "exec \"$@\" >&-",
      [TestDaemon.executable("kist").path, "status", "--socket", daemon.operators.path])
    #expect(
      said.code == 1 && said.complaint == "kist: standard output: Bad file descriptor\n", "\(said)")
  }

  @Test("no file or socket of the daemon has a number that is for people") func daemon() throws {
    var options = TestDaemon.Options()
    options.launcher = ["/bin/sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"]
    let daemon = try TestDaemon(options)
    for number in 0...2 {
      #expect(
        try FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/\(daemon.pid)/fd/\(number)") == "/dev/null")
    }
    #expect(daemon.stop() == 0)
  }
}
