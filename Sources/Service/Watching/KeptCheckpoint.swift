import Audit
import Host

/// Keeps the log's newest checkpoint outside the log, so that a log that was cut is refused.
///
/// A background thread writes it half a second after the first record that it does not cover, so a
/// kill leaves less than a second of records uncovered. It is signed with the log's key, but
/// nothing here detects that it was replaced by an older one.
final class KeptCheckpoint: @unchecked Sendable {
  private let log: AuditLog
  private let state: StateDirectory
  private let after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
  private let failed: @Sendable (DiskError) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var isDue = false
  private var isKeeping = false
  /// Held while the file is written, so that an older checkpoint never replaces a newer one.
  private let writing = Lock()

  /// In nanoseconds.
  static let interval: Int64 = 500_000_000

  init(
    of log: AuditLog, in state: StateDirectory,
    after: @escaping @Sendable (Int64, @escaping @Sendable () -> Void) -> Void,
    failed: @escaping @Sendable (DiskError) -> Void
  ) {
    self.log = log
    self.state = state
    self.after = after
    self.failed = failed
  }

  /// The tree head in the file in `state`; nil if there is no file.
  static func head(in state: StateDirectory, signedBy verifier: NoteVerifier) throws(UnlockError)
    -> TreeHead?
  {
    let text: [UInt8]?
    do throws(StorageError) { text = try state.read(.checkpoint) } catch {
      throw .keptCheckpoint(.unreadable)
    }
    guard let text else { return nil }
    do throws(NoteError) {
      return try SignedCheckpoint(parsing: text.span).head(signedBy: verifier)
    } catch { throw .keptCheckpoint(.foreign) }
  }

  /// Schedules a write of a checkpoint that covers what was just made durable.
  func noteCommit() {
    let isFirst = lock.withLock {
      defer { isDue = true }
      return !isDue && isKeeping
    }
    if isFirst { after(Self.interval) { [weak self] in self?.writeInTime() } }
  }

  /// Starts scheduled writes, and writes now what was recorded so far: before the daemon is
  /// confined there must be no second thread, so nothing was scheduled until now.
  func begin() {
    lock.withLock { (isKeeping, isDue) = (true, false) }
    writeInTime()
  }

  func write() throws(DiskError) {
    try writing.withLock { () throws(DiskError) in try state.write(.checkpoint, log.checkpoint) }
  }

  /// Writes the last checkpoint of a closed log. Where the disk is full the one before stays, which
  /// covers less, and keys can be taken back all the same.
  func end() throws(DiskError) {
    lock.withLock { isKeeping = false }
    do throws(DiskError) { try write() } catch {
      guard error.isExhaustionBeforeSync else { throw error }
      failed(error)
    }
  }

  private func writeInTime() {
    let isWanted = lock.withLock {
      isDue = false
      return isKeeping
    }
    guard isWanted else { return }
    // Not tried again here: the next record schedules another write.
    do throws(DiskError) { try write() } catch { failed(error) }
  }
}

/// What is wrong with the kept checkpoint.
package enum KeptCheckpointFault: Equatable, Sendable {
  /// There is a log, but no kept checkpoint of it.
  case absent
  case unreadable
  /// It is not a checkpoint, or is one of another log.
  case foreign
}

extension LogReader {
  /// Whether the log has no record of an unlocking: there is no log, or its very first opening was
  /// interrupted.
  var isUnused: Bool {
    get throws(AuditError) {
      var isUsed = false
      try forEachRecord { record, _ in
        isUsed = record.operation == "key-store-unlocked"
        return !isUsed
      }
      return !isUsed
    }
  }
}
