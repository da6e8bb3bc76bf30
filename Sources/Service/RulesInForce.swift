internal import Host
internal import Operations

/// The rules for new requests: an immutable snapshot, replaced as a whole.
final class RulesInForce: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var current: Rules

  init(_ rules: Rules) { current = rules }

  var snapshot: Rules { lock.withLock { current } }

  /// Puts other rules in force for requests that begin from now on.
  func replace(with next: Rules) { lock.withLock { current = next } }
}
