package import CryptoBackend
package import Policy
internal import SecretMemory

/// The policy that requests are decided by, and its hash for the record; replaced as a whole by a reload.
package final class PolicyInForce: @unchecked Sendable {
  package struct Snapshot: Sendable {
    package let policy: Policy
    /// SHA-256 of the policy's canonical text.
    package let hash: Digest256

    package init(_ policy: Policy) {
      self.policy = policy
      hash = SHA256.hash(Array(policy.canonicalText.utf8))
    }
  }

  private let lock = Lock()
  /// Guarded by `lock`.
  private var current: Snapshot

  package init(_ policy: Policy) { current = Snapshot(policy) }

  package var snapshot: Snapshot { lock.withLock { current } }

  /// Puts another policy in force, for requests that begin from now on.
  package func replace(with next: Snapshot) { lock.withLock { current = next } }
}
