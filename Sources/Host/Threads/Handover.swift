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
    guard let value = value.take() else { preconditionFailure("what was handed over is taken once") }
    return value
  }
}
