internal import Audit
internal import Format
internal import Review

/// The complete segments of a valid log that are older than the given time.
struct OldSegments {
  let directory: String
  let retention: Retention
  /// Nil if nothing is that old.
  let pruning: Retention.Pruning?

  static let options: [Option] = [.value("before"), .value("config"), .value("key"), .flag("dry-run"), .json]

  /// - Throws: with the exit code of `kist audit verify` if the log is not good; with 75 if kistd would need some of them at its start.
  /// - Parameter kept: files with checkpoints that somebody kept.
  init(_ arguments: Arguments, kept files: [String] = []) throws(CommandFailure) {
    directory = arguments.operands[0]
    guard let time = try arguments.time("before") else { throw .usage("--before is missing") }
    let key = try arguments.verifierKey()
    let readBack = try ReadBack(configuration: arguments.value("config"))
    try Hardening.prepareForPublicData()
    // An export is never changed.
    let verifier = try NoteVerifier.read(key)
    var kept: [TreeHead] = []
    for path in files { kept.append(try CosignedCheckpoint.read(path, verifier).checkpoint.head) }
    retention = Retention(LogDirectory(directory, on: ArchiveDisk()), verifier, kept: kept)
    do throws(RetentionError) { pruning = try retention.expired(before: time, at: readBack.now) } catch { throw .retention(error, directory) }
    if let pruning { try readBack.allow(pruning.end) }
  }

  /// Refuses to remove records before `size` that the newest backup needs.
  func keepForBackup(before size: UInt64) throws(CommandFailure) {
    let backup: (record: UInt64, needs: UInt64)?
    do throws(AuditError) { backup = try retention.newestBackup() } catch { throw .audit(error, directory) }
    guard let backup, backup.needs < size else { return }
    throw CommandFailure(
      code: ReadBack.tooEarly,
      "the newest backup, of record \(backup.record), can be restored fully only while the records from \(backup.needs) on are there: make another with kist backup, then prune"
    )
  }
}
