internal import SecretMemory
internal import Storage

/// How many requests were refused while there was no log to put them on.
///
/// The count is kept in the state directory, so that a stop loses none of it; a kill loses what was refused in its last second. Nobody
/// can sign it while the store is locked.
final class RefusalCount: @unchecked Sendable {
  private let state: StateDirectory
  private let after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var count: UInt64
  private var isDue = false
  /// Held while the file is written, so that an older count does not replace a newer one.
  private let writing = Lock()

  /// In nanoseconds.
  private static let interval: Int64 = 1_000_000_000

  /// Goes on with what is in `state`; a file that holds no number counts as one refusal, since nothing is known of it.
  init(in state: StateDirectory, after: @escaping @Sendable (Int64, @escaping @Sendable () -> Void) -> Void) {
    (self.state, self.after) = (state, after)
    do throws(StorageError) {
      count = try state.read(.refusals).map { UInt64(String(decoding: $0, as: UTF8.self)) ?? 1 } ?? 0
    } catch { count = 1 }
  }

  func add(_ refused: UInt64 = 1) {
    let isFirst = lock.withLock {
      count += refused
      defer { isDue = true }
      return !isDue
    }
    if isFirst { after(Self.interval) { [weak self] in self?.save() } }
  }

  var value: UInt64 { lock.withLock { count } }

  /// Takes off what is on the record by now; after a crash just here it is on the record twice, rather than not at all.
  func subtract(_ recorded: UInt64) {
    guard recorded > 0 else { return }
    lock.withLock { count -= recorded }
    save()
  }

  /// Writes the count; what cannot be written now goes with the next refusal, or is still in memory for the next unlocking.
  func save() {
    try? writing.withLock { () throws(DiskError) in
      let count = lock.withLock {
        isDue = false
        return self.count
      }
      guard count > 0 else { return try state.remove(.refusals) }
      try state.write(.refusals, Array(String(count).utf8))
    }
  }
}
