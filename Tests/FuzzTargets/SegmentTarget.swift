import Audit
import Crypto
import Format
import Host
import Review
import TestSupport

/// A whole segment of the audit log as a crash or an intruder leaves it: verified, read, opened
/// anew and verified again.
enum SegmentTarget: FuzzTarget {
  static let name = "audit-segment"
  static let byteLimit = 16 << 10
  private static let path = "/log"
  private static let segment = "/log/00000000000000000000.log"

  static func seeds() throws -> [[UInt8]] {
    let disk = SimulatedDisk()
    try makeDirectory(on: disk)
    let log = try open(on: disk)
    for number in 0..<3 {
      var batch = Batch()
      batch.add(Attempt(.clockStep(microseconds: Int64(number))))
      _ = try log.commit(batch).count
    }
    guard var bytes = disk.contents(segment) else { return [] }
    while bytes.last == 0 { bytes.removeLast() }
    return [
      bytes, bytes + [0, 0, 0], Array(bytes.dropLast(100)), bytes + Array("{\"half\":".utf8), [],
    ]
  }

  static func run(_ input: [UInt8]) throws {
    let disk = SimulatedDisk()
    try makeDirectory(on: disk)
    disk.plant(segment, input)
    let directory = LogDirectory(path, on: disk)
    let before = LogVerifier(try signer().verifier).verify(directory)
    _ = try? LogReader(directory).forEachRecord { _, _ in true }
    let isWhole =
      switch before.verdict {
      case .good, .torn: true
      case .truncated, .tampered, .uncompared, .unreadable: false
      }
    guard let log = try? open(on: disk) else {
      return try promise(!isWhole, "a log that verifies is not opened: \(before.verdict)")
    }
    // Opening looks at the last signature alone, so a log that did not verify may be opened and
    // still not verify.
    guard isWhole else { return }
    let after = LogVerifier(try signer().verifier).verify(directory)
    try promise(after.verdict == .good, "a log that was opened does not verify: \(after.verdict)")
    try promise(after.head == log.head, "the log's head is not the verifier's")
    if let head = before.head {
      try promise(log.head.size > head.size, "opening a log lost records")
    }
  }

  private static func makeDirectory(on disk: SimulatedDisk) throws {
    try disk.makeDirectory(path, mode: 0o700)
    try disk.syncDirectory("/")
  }

  private static func signer() throws -> NoteSigner {
    let seed = [UInt8](repeating: 7, count: 32)
    return try NoteSigner(name: "kist.test/audit", key: PrivateKey(ed25519Seed: seed.span))
  }

  private static func open(on disk: SimulatedDisk) throws -> AuditLog {
    guard let boot = BootID("0123456789abcdef0123456789abcdef") else {
      throw BrokenPromise(description: "no boot id")
    }
    var settings = AuditSettings(boot: boot, clock: { Timestamp(seconds: 1_800_000_000) })
    settings.allocation = 2048
    let start = StartFacts(policy: SHA256.hash([1]), configuration: SHA256.hash([2]))
    return try AuditLog(
      LogDirectory(path, on: disk), signer: signer(), start: start, settings: settings, anchor: nil)
  }
}
