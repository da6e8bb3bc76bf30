import Audit
import Crypto
import Format
import Host
import Review
import Synchronization
import TestSupport
import Testing

/// A clock that is a minute further each time.
private final class Minutes: Sendable {
  private let count = Atomic<Int64>(0)

  func next() -> Timestamp {
    Timestamp(seconds: 1_800_000_000 + 60 * count.add(1, ordering: .relaxed).oldValue)
  }
}

/// A log of small segments on a simulated disk.
struct TestLog {
  let disk = SimulatedDisk()
  let signer: NoteSigner
  /// After every commit.
  private(set) var heads: [TreeHead] = []

  static let path = "/log"

  init(commits: Int, segmentLimit: Int = 20_000, seed: UInt8 = 7, policy: [UInt8] = []) throws {
    try #require(TestArena.ready)
    try disk.makeDirectory(Self.path, mode: 0o700)
    try disk.syncDirectory("/")
    signer = try NoteSigner(
      name: "kist.test/audit",
      key: PrivateKey(ed25519Seed: [UInt8](repeating: seed, count: 32).span))
    let boot = try #require(BootID("0123456789abcdef0123456789abcdef"))
    var settings = AuditSettings(boot: boot, clock: { [clock = Minutes()] in clock.next() })
    settings.segmentLimit = segmentLimit
    settings.allocation = 2048
    let digest = SHA256.hash(policy)
    let log = try AuditLog(
      directory, signer: signer, start: StartFacts(policy: digest, configuration: digest),
      settings: settings)
    for _ in 0..<commits {
      _ = try log.commit(Batch(Attempt(.keyStoreLocked)))
      heads.append(log.head)
    }
    try log.close()
    heads.append(log.head)
  }

  var directory: LogDirectory { LogDirectory(Self.path, on: disk) }
  var verifier: NoteVerifier { signer.verifier }
  var prover: Prover { Prover(directory, verifier) }
  var size: UInt64 { heads.last?.size ?? 0 }

  /// As the log signs it.
  func note(_ head: TreeHead) throws -> CosignedCheckpoint {
    let note = try Checkpoint(origin: verifier.name, head: head).signed(by: signer)
    return try CosignedCheckpoint(parsing: note.span)
  }

  /// Takes the oldest segments away.
  func prune(_ count: Int) throws {
    let names = try disk.list(Self.path).filter { $0.hasSuffix(".log") }
    try #require(names.count > count)
    for name in names.prefix(count) { disk.unplant(Self.path + "/" + name) }
  }

  func export(_ enclosures: [Exporter.Enclosure] = []) throws -> (
    disk: SimulatedDisk, directory: ExportDirectory
  ) {
    let target = SimulatedDisk()
    try target.makeDirectory("/out", mode: 0o700)
    let directory = ExportDirectory("/out/export", on: target)
    _ = try Exporter(self.directory, verifier, to: directory).run(with: enclosures)
    return (target, directory)
  }
}
