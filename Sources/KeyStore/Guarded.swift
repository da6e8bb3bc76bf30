internal import Host

/// A value behind a lock.
final class Guarded<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var guarded: Value

  init(_ value: Value) { guarded = value }

  var value: Value { lock.withLock { guarded } }

  /// Without a copy, whose reference counts all threads would write.
  func read<R>(_ body: (borrowing Value) -> R) -> R { lock.withLock { body(guarded) } }

  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&guarded) } }
}
