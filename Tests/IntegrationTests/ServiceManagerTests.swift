import Format
import Foundation
import KistClient
import Testing

/// The daemon under a service manager: sockets that are handed over, and telling how start and stop
/// go.
@Suite(.serialized) struct ServiceManagerTests {
  @Test(
    "takes LISTEN_FDS by name, leaves them in place, and notifies ready, reloading and stopping")
  func activation() throws {
    let daemon = try TestDaemon()
    #expect(daemon.stop() == 0)
    let directory = daemon.directory.path
    let process = try Self.start(daemon)

    let endpoint = Endpoint(path: directory + "/activated-kist.sock")
    try eventually { (try? Client(endpoint).ping()) != nil }
    #expect(
      try Client(Endpoint(path: directory + "/activated-admin.sock")).status().state == "serving")
    #expect(
      !FileManager.default.fileExists(atPath: daemon.services.path), "bound its own socket as well")

    let child = try Self.child(of: process.processIdentifier)
    kill(child, SIGHUP)
    try eventually { try Self.notified(directory).contains("RELOADING=1") }
    kill(child, SIGTERM)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let said = try Self.notified(directory)
    let order = ["READY=1", "RELOADING=1", "MONOTONIC_USEC=", "READY=1", "STOPPING=1"]
    var rest = said[...]
    for word in order {
      guard let place = rest.range(of: word) else {
        Issue.record("no \(word) in its place in \(said)")
        return
      }
      rest = rest[place.upperBound...]
    }
    for name in ["kist", "admin"] {
      #expect(
        said.contains("AFTERWARDS \(name) 0\n"), "callers are refused between two daemons: \(said)")
    }
  }

  @Test("a start that fails says why, and lasts so long that trying again fills no journal")
  func failedStart() throws {
    let daemon = try TestDaemon()
    #expect(daemon.stop() == 0)
    try TestDaemon.write("nothing = 1\n", to: daemon.directory.appendingPathComponent("kist.toml"))
    let began = ContinuousClock.now
    let process = try Self.start(daemon)
    process.waitUntilExit()
    #expect(process.terminationStatus == 78)
    #expect(ContinuousClock.now - began >= .seconds(2))
    let said = try Self.notified(daemon.directory.path)
    #expect(
      said.contains("STATUS=\(daemon.directory.path)/kist.toml:1:1: ") && !said.contains("READY=1"),
      "\(said)")
  }

  /// As systemd does.
  private static func start(_ daemon: TestDaemon) throws -> Process {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Support/activate.py")
    let directory = daemon.directory.path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      Oracle.python, script.path, directory, TestDaemon.executable("kistd").path, "--config",
      directory + "/kist.toml",
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private static func notified(_ directory: String) throws -> String {
    try String(contentsOfFile: directory + "/notified", encoding: .utf8)
  }

  private static func child(of pid: Int32) throws -> Int32 {
    let text = try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
    guard let child = text.split(separator: " ").compactMap({ Int32($0) }).first else {
      throw TestDaemon.Failure("no child")
    }
    return child
  }
}
