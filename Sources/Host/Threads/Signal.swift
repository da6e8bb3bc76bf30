/// An event that one thread gives and another waits for, once.
package final class Signal: Sendable {
  private let monitor = Monitor()
  /// Guarded by `monitor`.
  nonisolated(unsafe) private var isGiven = false

  package init() {}

  /// Writes made before `give` are visible after `wait`.
  package func wait() { monitor.withLock { while unsafe !isGiven { monitor.wait() } } }

  package func give() {
    monitor.withLock { unsafe isGiven = true }
    monitor.wakeAll()
  }
}

/// A value that one thread gives to another, once; `take` waits for it.
package final class Handover<Value: ~Copyable & Sendable>: @unchecked Sendable {
  private let signal = Signal()
  /// Owned by the giver until the signal, then by the taker.
  private var value: Value?

  package init() {}

  package convenience init(_ value: consuming Value) {
    self.init()
    give(value)
  }

  package func give(_ value: consuming Value) {
    self.value = consume value
    signal.give()
  }

  package func take() -> Value {
    signal.wait()
    guard let value = value.take() else {
      preconditionFailure("what was handed over is taken once")
    }
    return value
  }
}
