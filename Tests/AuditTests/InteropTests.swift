import Audit
import Crypto
import Foundation
import TestSupport
import Testing

/// The log is verified by a program that shares nothing with ours: Python's hashes and OpenSSL's
/// signatures.
@Suite struct InteropTests {
  private static let python = "/usr/bin/python3"
  private static let isHere =
    FileManager.default.isExecutableFile(atPath: python)
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

  @Test(.enabled(if: isHere, "python3 and openssl are not here"))
  func anIndependentProgramAgrees() throws {
    let test = try TestLog(segmentLimit: 3000)
    let log = try test.open()
    for number in 0..<8 { _ = try log.commit(Batch(requests: UInt64(number), 100)) }
    try log.close()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, bytes) in try test.segments() {
      try Data(bytes).write(to: folder.appendingPathComponent(name))
    }

    let (status, output) = try run(folder.path, test.signer.verifier.vkey)
    #expect(status == 0)
    #expect(output.contains("good: \(log.head.size) records") && output.contains(log.head.root.hex))

    let name = try #require(try test.segments().keys.sorted().first)
    var bytes = try #require(try test.segments()[name])
    bytes[120] ^= 1
    try Data(bytes).write(to: folder.appendingPathComponent(name))
    #expect(try run(folder.path, test.signer.verifier.vkey).status == 1)
    #expect(try run(folder.path, TestLog.signer(seed: 9).verifier.vkey).status == 1)
  }

  private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("interop/lib/verify_audit.py")
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: Self.python)
    process.arguments = [script.path] + arguments
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
