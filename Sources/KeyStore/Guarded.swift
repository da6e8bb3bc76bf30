internal import Threads

/// A value behind a lock.
final class Guarded<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var guarded: Value

  init(_ value: Value) { guarded = value }

  var value: Value { lock.withLock { guarded } }

  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&guarded) } }
}
