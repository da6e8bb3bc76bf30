import Audit
import Format
import Foundation
import KistClient
import Review
import Testing

/// The machine lets the daemon down while it serves.
@Suite(.serialized) struct FaultTests {
  @Test(
    "the log's file removed, cut or replaced: noticed at the next commit, said, and nothing more served",
    arguments: ["removed", "cut", "replaced"])
  func displacedLog(_ how: String) throws {
    let daemon = try TestDaemon()
    let client = try Client(daemon.services)
    _ = try client.random(8)
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: daemon.auditDirectory).first {
        $0.hasSuffix(".log")
      })
    let path = daemon.auditDirectory + "/" + name
    switch how {
    case "removed": try FileManager.default.removeItem(atPath: path)
    case "cut": unsafe truncate(path, 200)
    default:
      try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
    }
    #expect(outcome { _ = try client.random(8) } == "audit-unavailable")
    #expect(
      daemon.errors(until: "audit-unavailable").contains(
        "the segment being written was removed, cut or replaced"))
    #expect(try Client(daemon.operators).status().state == "audit-unavailable")
    try Client(daemon.services).ping()
    #expect(daemon.stop() == 74)
  }

  @Test(
    "a full disk: nothing more is served, status answers, the log verifies, and it goes on without a restart once there is space",
    .enabled(if: getuid() == 0, "mounting needs root"))
  func fullDisk() throws {
    let daemon = try TestDaemon()
    #expect(daemon.stop() == 0)
    // The log goes on in a file system of six megabytes.
    let small = daemon.directory.appendingPathComponent("small").path
    try FileManager.default.moveItem(atPath: daemon.auditDirectory, toPath: small)
    try FileManager.default.createDirectory(
      atPath: daemon.auditDirectory, withIntermediateDirectories: false)
    _ = try Oracle.run([
      "mount", "-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", daemon.auditDirectory,
    ])
    defer { _ = try? Oracle.run(["umount", "--lazy", daemon.auditDirectory]) }
    _ = try Oracle.run(["cp", "-a", small + "/.", daemon.auditDirectory])

    let again = try daemon.restarted()
    let socket = try RawSocket(again.services)
    var acknowledged = 0
    var wasLow = false
    var last = Status.ok
    for id in 1...40_000 as ClosedRange<UInt64> where last == .ok {
      socket.send(RawSocket.frame(.random, requestID: id, body: [0x08, 0x10]))
      last = try #require(try socket.reply()).status
      if last == .ok { acknowledged += 1 }
      if id.isMultiple(of: 500), try Client(again.operators).status().auditCondition == "low" {
        wasLow = true
      }
    }
    #expect(last == .auditUnavailable)
    #expect(acknowledged > 100)
    #expect(
      readiness(again)
        == "NOT READY: the audit log's disk is full; nothing is served until it has space\n")
    #expect(wasLow, "not ready before it is full")
    let report = try Client(again.operators).status()
    #expect((report.state, report.auditCondition) == ("audit-unavailable", "full"))
    #expect(outcome { _ = try Client(again.services).random(8) } == "audit-unavailable")
    #expect(again.errors(until: "audit-full").contains("audit-full"))
    #expect(try again.records().count { $0.operation == "random" } >= acknowledged)
    let verifier = try NoteVerifier(vkey: report.auditVerifierKey)
    #expect(LogVerifier(verifier).verify(LogDirectory(again.auditDirectory)).verdict == .good)

    _ = try Oracle.run(["mount", "-o", "remount,size=32m", again.auditDirectory])
    #expect(try Client(again.services).random(8).count == 8)
    #expect(try Client(again.operators).status().auditCondition == "ample")
    #expect(readiness(again) == "ready\n")
    #expect(
      try again.records().suffix(3).map(\.operation) == ["log-full", "log-resumed", "random"])
    #expect(again.stop() == 0)
  }

  @Test(
    "a disk that turns read-only: nothing more is served, operators are answered, the log can be exported, and a start on the mended disk goes on",
    .enabled(
      if: getuid() == 0 && FileManager.default.fileExists(atPath: "/sys/fs/ext4"),
      "mounting needs root, and ext4"))
  func readOnlyDisk() throws {
    let daemon = try TestDaemon()
    #expect(daemon.stop() == 0)
    let image = daemon.directory.path + "/image"
    let moved = daemon.directory.path + "/moved"
    try FileManager.default.moveItem(atPath: daemon.auditDirectory, toPath: moved)
    try FileManager.default.createDirectory(
      atPath: daemon.auditDirectory, withIntermediateDirectories: false)
    _ = try Oracle.run(["truncate", "--size=96M", image])
    _ = try Oracle.run(["mkfs.ext4", "-q", image])
    _ = try Oracle.run(["mount", "-o", "loop,errors=remount-ro", image, daemon.auditDirectory])
    defer { _ = try? Oracle.run(["umount", "--lazy", daemon.auditDirectory]) }
    _ = try Oracle.run(["cp", "-a", moved + "/.", daemon.auditDirectory])

    let serving = try daemon.restarted()
    let client = try Client(serving.services)
    for _ in 0..<20 { _ = try client.random(8) }
    let key = try Client(serving.operators).status().auditVerifierKey
    // What ext4 does by itself when it finds the disk damaged.
    let device = String(
      decoding: try Oracle.run([
        "findmnt", "--noheadings", "--output", "SOURCE", serving.auditDirectory,
      ]), as: UTF8.self)
    let name = try #require(device.split(separator: "/").last?.trimmingCharacters(in: .newlines))
    try Data("a test".utf8).write(to: URL(fileURLWithPath: "/sys/fs/ext4/\(name)/trigger_fs_error"))

    #expect(outcome { _ = try client.random(8) } == "audit-unavailable")
    #expect(outcome { _ = try Client(serving.services).random(8) } == "audit-unavailable")
    let report = try Client(serving.operators).status()
    #expect((report.state, report.auditCondition) == ("audit-unavailable", "failed"))
    #expect(
      readiness(serving)
        == "NOT READY: the audit log could not be written; repair the disk, then restart kistd\n")
    let export = serving.directory.path + "/export"
    let kist = TestDaemon.executable("kist").path
    _ = try Oracle.run([kist, "audit", "export", serving.auditDirectory, export, "--key", key])
    _ = try Oracle.run([kist, "audit", "verify", export, "--key", key])
    #expect(try serving.records().count { $0.operation == "random" } == 20)
    #expect(serving.stop() == 74)

    _ = try Oracle.run(["umount", serving.auditDirectory])
    // Of a copy: a mount namespace that another test has made meanwhile may keep the old one
    // mounted, and read-only.
    _ = try Oracle.run(["cp", "--sparse=always", image, image + "-mended"])
    // Exit code 1: it mended something.
    _ = try Oracle.run(["sh", "-c", "e2fsck -fy '\(image)-mended' >/dev/null 2>&1; test $? -le 1"])
    _ = try Oracle.run(["mount", "-o", "loop", image + "-mended", serving.auditDirectory])
    let again = try serving.restarted()
    #expect(try Client(again.services).random(8).count == 8)
    #expect(try again.records().count { $0.operation == "random" } == 21)
    #expect(readiness(again) == "ready\n")
    #expect(again.stop() == 0)
  }

  /// What `kist status --ready` says; it fails unless that is that it is ready.
  private func readiness(_ daemon: TestDaemon) -> String {
    let kist = TestDaemon.executable("kist").path
    let words = [kist, "status", "--ready", "--socket", daemon.directory.path + "/run/admin.sock"]
    if let output = try? Oracle.run(words) { return String(decoding: output, as: UTF8.self) }
    let failed =
      (try? Oracle.run(["sh", "-c", "\"$@\" && echo it is ready; true", "sh"] + words)) ?? Data()
    return String(decoding: failed, as: UTF8.self)
  }
}
