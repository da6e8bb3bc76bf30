import Host

/// A number under a `Lock`.
final class Counter: @unchecked Sendable {
  private let lock = Lock()
  private var number = 0

  var value: Int { lock.withLock { number } }
  func increment() { lock.withLock { number += 1 } }
}
