internal import Audit
internal import SecretMemory
internal import Storage

/// Keeps the log's newest checkpoint outside the log, so that a log that was cut does not open.
///
/// It is written half a second after the first record that it does not cover, by a thread that nobody waits for: what a kill can
/// lose of it is less than a second of records. It is signed by the log's key; replacing it by an older one is what nobody can see here.
final class KeptCheckpoint: @unchecked Sendable {
  private let log: AuditLog
  private let state: StateDirectory
  private let after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
  private let failed: @Sendable (DiskError) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var isDue = false
  private var isKeeping = false
  /// Held while the file is written, so that an older checkpoint does not replace a newer one.
  private let writing = Lock()

  /// In nanoseconds.
  static let interval: Int64 = 500_000_000

  init(
    of log: AuditLog, in state: StateDirectory, after: @escaping @Sendable (Int64, @escaping @Sendable () -> Void) -> Void,
    failed: @escaping @Sendable (DiskError) -> Void
  ) {
    (self.log, self.state, self.after, self.failed) = (log, state, after, failed)
  }

  /// The head that the file in `state` tells of; nil where there is no file.
  static func head(in state: StateDirectory, signedBy verifier: NoteVerifier) throws(UnlockError) -> TreeHead? {
    let text: [UInt8]?
    do throws(StorageError) { text = try state.read(.checkpoint) } catch { throw .keptCheckpoint(.unreadable) }
    guard let text else { return nil }
    do throws(NoteError) { return try SignedCheckpoint(parsing: text.span).head(signedBy: verifier) } catch { throw .keptCheckpoint(.foreign) }
  }

  /// Has a checkpoint written that covers what was made durable just now.
  func noteCommit() {
    let isFirst = lock.withLock {
      defer { isDue = true }
      return !isDue && isKeeping
    }
    if isFirst { after(Self.interval) { [weak self] in self?.writeInTime() } }
  }

  /// Writes it from now on in time. Before the daemon is confined there can be no second thread, so what was recorded until now is
  /// covered here.
  func begin() {
    lock.withLock { (isKeeping, isDue) = (true, false) }
    writeInTime()
  }

  func write() throws(DiskError) {
    try writing.withLock { () throws(DiskError) in try state.write(.checkpoint, log.checkpoint) }
  }

  /// Writes the last one, of a log that is closed.
  func end() throws(DiskError) {
    lock.withLock { isKeeping = false }
    try write()
  }

  private func writeInTime() {
    let isWanted = lock.withLock {
      isDue = false
      return isKeeping
    }
    guard isWanted else { return }
    // Records go on: the next ones have it tried again.
    do throws(DiskError) { try write() } catch { failed(error) }
  }
}

/// What is wrong with the checkpoint that is kept outside the log.
package enum KeptCheckpointFault: Equatable, Sendable {
  /// There is a log, and no checkpoint of it.
  case absent
  case unreadable
  /// No checkpoint, or one of another log.
  case foreign
}

extension LogReader {
  /// Whether no unlocking is on the record: there is no log, or its very first opening was cut off.
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
