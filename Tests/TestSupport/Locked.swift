import Host

/// A value that threads read and change one at a time.
///
/// ThreadSanitizer sees nothing of `Synchronization.Mutex`, and reports what that guards.
public final class Locked<Value>: @unchecked Sendable {
  private let lock = Lock()
  private var value: Value

  public init(_ value: Value) { self.value = value }

  public func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    try lock.withLock { () throws(Failure) in try body(&value) }
  }
}
