package import Audit
package import Crypto
import Host
import KeyStore
import Review

/// The transcript of one sitting, open for writing: every record is durable under a signed
/// checkpoint before the ceremony goes on.
final class Transcript {
  private let log: AuditLog
  private let sitting: Int
  private let directory: CeremonyDirectory

  /// Makes the log of a sitting under a new key of its own, which is dropped when the sitting is
  /// over.
  ///
  /// - Parameter genesis: the last leaf hash of the sitting before.
  init(
    sitting: Int, of plan: CeremonyPlan, kind: StoreKind, store: StorePlace, genesis: Digest256?,
    in directory: CeremonyDirectory, _ host: CeremonyHost
  ) throws(CeremonyError) {
    self.sitting = sitting
    self.directory = directory
    let origin = "ceremony/" + plan.id + (sitting == 1 ? "" : "/\(sitting)")
    let key = try onCrypto(PrivateKey.generate(.ed25519))
    let signer = try onNote(NoteSigner(name: origin, key: key))
    let place = directory.transcript(sitting)
    var settings = AuditSettings(boot: host.boot, clock: host.clock)
    settings.allocation = 64 << 10
    settings.genesis = genesis
    let start = StartFacts(
      policy: plan.policy?.digest ?? SHA256.hash([]), configuration: plan.digest)
    try onDisk(
      DurableFile.makeDirectory(
        CeremonyDirectory.transcriptName(sitting), in: directory.path, on: directory.disk))
    try onDisk(
      directory.write(
        CeremonyDirectory.verifierName, Array((signer.verifier.vkey + "\n").utf8),
        in: CeremonyDirectory.transcriptName(sitting)))
    log = try onLog(AuditLog(place, signer: signer, start: start, settings: settings))
    try record(
      .began(
        .init(
          plan: plan.digest, kind: kind, store: store.path, sitting: sitting,
          verifier: signer.verifier.vkey)))
  }

  /// The log's present size and root.
  var anchor: AuditAnchor {
    let head = log.head
    return AuditAnchor(size: head.size, root: head.root)
  }

  func record(_ entry: TranscriptEntry) throws(CeremonyError) {
    _ = try onLog(log.commit(Batch(entry.attempt)))
  }

  /// Records that a checkpoint is shown, and returns it.
  func mark(_ after: ShownAfter) throws(CeremonyError) -> PaperMark {
    try record(.shown(after))
    return PaperMark(log.head.root)
  }

  /// Ends the log, and leaves its last checkpoint as a note and as the text that witnesses sign.
  func close() throws(CeremonyError) -> CosignedCheckpoint {
    try onLog(log.close())
    return try Self.writeNote(of: directory.transcript(sitting), in: directory)
  }

  /// Ends the log of a sitting that was stopped, and leaves its last checkpoint beside it.
  func closeUnfinished() throws(CeremonyError) -> CosignedCheckpoint {
    try onLog(log.close())
    return try Self.writeNote(
      of: directory.transcript(sitting), in: directory,
      folder: CeremonyDirectory.transcriptName(sitting))
  }

  /// The last checkpoint of a sitting that ended with all steps done, as a note and as the text
  /// that witnesses sign.
  static func writeNote(
    of log: LogDirectory, in directory: CeremonyDirectory, folder: String? = nil
  ) throws(CeremonyError) -> CosignedCheckpoint {
    let newest = try onLog(LogReader(log).newestCheckpoint())
    guard let newest else { throw .audit(.unavailable) }
    let note = CosignedCheckpoint(newest)
    try onDisk(
      directory.write(CeremonyDirectory.checkpointName, note.checkpoint.text, in: folder))
    try onDisk(directory.write(CeremonyDirectory.noteName, note.note, in: folder))
    return note
  }
}

extension Checkpoint {
  /// The hash that the first record of an audit log names as the one before it, if the log begins
  /// where this transcript ends.
  package var genesis: Digest256 { TreeHash.leaf(text.span) }
}
