internal import Host

/// Counts the requests refused while there was no log to record them.
///
/// The count is kept in the state directory: a stop loses none of it, a kill that of the last second. It is not authenticated, since
/// there is no key while the store is locked.
final class RefusalCount: @unchecked Sendable {
  private let state: StateDirectory
  private let after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var count: UInt64
  private var isDue = false
  /// Held while the file is written, so that an older count never replaces a newer one.
  private let writing = Lock()

  /// In nanoseconds.
  private static let interval: Int64 = 1_000_000_000

  /// Continues the count in `state`; an unreadable file counts as one refusal, since something was there.
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

  /// Subtracts what is now in the log; a crash just before this records it twice rather than never.
  func subtract(_ recorded: UInt64) {
    guard recorded > 0 else { return }
    lock.withLock { count -= recorded }
    save()
  }

  /// Writes the count; on failure it stays in memory and is written with the next refusal.
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
