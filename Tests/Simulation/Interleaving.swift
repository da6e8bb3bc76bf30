/// How the threads of a history meet.
package protocol Interleaving: Sendable {
  /// Begins a history: the same seed has threads meet in the same order, and has the same random
  /// bytes.
  func begin(_ seed: UInt64)

  /// Runs the bodies side by side, and waits for all.
  func run(_ bodies: [() -> Void])
}

/// One after the other, where nothing stands before the system's locks.
package struct InTurn: Interleaving {
  package init() {}

  package func begin(_ seed: UInt64) {}

  package func run(_ bodies: [() -> Void]) { for body in bodies { body() } }
}
