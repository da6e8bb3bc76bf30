internal import SecretMemory

/// How many requests were refused while there was no log to put them on.
final class RefusalCount: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var count: UInt64 = 0

  func add() { lock.withLock { count += 1 } }

  var value: UInt64 { lock.withLock { count } }

  /// Takes off what is on the record by now.
  func subtract(_ recorded: UInt64) { lock.withLock { count -= recorded } }
}
