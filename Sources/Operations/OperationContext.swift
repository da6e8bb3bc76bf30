package import ApplePay
package import Audit
package import Encoding
package import KeyBlock
package import KeyStore
package import Policy
internal import Wire

/// What operations work with, besides their grant and their body; one per unlocked key store.
package struct OperationContext: Sendable {
  package let keys: KeyStore
  package let digests: DigestKey
  package let verifier: PaymentTokenVerifier
  package let provisioning: ProvisioningVerifier
  package let replays: ReplayGuard
  /// Of the rules that the request began under, for who asks what it may do.
  package var policy = Policy.empty
  /// Of the same rules.
  package var freshness: FreshnessWindows
  /// Of the same rules.
  package var standInKeys = StandInKeys()
  /// Of the same rules: versions A, B and C, as far as keys may come in them.
  package var oldBlocks: Set<KeyBlockVersion> = []
  /// The secrets of the connection that the request came over.
  package var handles = HandleTable.none
  package let pending: PendingRequests
  /// Who approved the request, a user id; nil where nobody had to.
  package var approvedBy: UInt32?
  /// Requests that one connection may have in flight.
  package let inFlight: Int
  package let rehearsal: Bool
  package let clock: @Sendable () -> Timestamp
  /// The audit log's size and root, for the manifest that a change of the key store writes.
  package let anchor: @Sendable () -> AuditAnchor
  /// The head of the checkpoint that the audit log has of exactly so many records, where it signed it.
  package var signedHead: @Sendable (UInt64) throws(AuditError) -> TreeHead? = { _ in nil }

  /// Where copies of the key store go; nil for nowhere.
  package var backupDirectory: String?
  /// Writes the counts of uses, while no record is written.
  package var saveCounts: @Sendable () -> Void = {}
  /// Tells the person on call why no copy was made.
  package var reportBackupFailure: @Sendable (KeyStoreError) -> Void = { _ in }

  package init(
    keys: KeyStore, digests: DigestKey, verifier: PaymentTokenVerifier, provisioning: ProvisioningVerifier, replays: ReplayGuard, freshness: FreshnessWindows,
    pending: PendingRequests, inFlight: Int,
    rehearsal: Bool, clock: @escaping @Sendable () -> Timestamp, anchor: @escaping @Sendable () -> AuditAnchor
  ) {
    (self.keys, self.digests, self.verifier, self.replays) = (keys, digests, verifier, replays)
    (self.provisioning, self.pending) = (provisioning, pending)
    (self.freshness, self.inFlight, self.rehearsal) = (freshness, inFlight, rehearsal)
    (self.clock, self.anchor) = (clock, anchor)
  }

  /// The key that a live grant names, one use of it counted where its uses are limited.
  ///
  /// - Throws: `.noSuchKey` where its role, state or period serve no such operation; `.rejected(.invocations)`.
  func key(for grant: borrowing Grant) throws(OperationError) -> KeySlot {
    do throws(KeyStoreError) { return try keys.key(for: grant, at: clock()) } catch { throw OperationError(lending: error) }
  }

  /// A further key that the request's body names, likewise.
  func furtherKey(_ id: KeyID, of role: KeyRole, serving opcode: Opcode, for grant: borrowing Grant) throws(OperationError) -> KeySlot {
    do throws(KeyStoreError) {
      return try keys.furtherKey(id, of: role, serving: opcode, for: grant, at: clock())
    } catch { throw OperationError(lending: error) }
  }

  /// The window of a key's tokens, never longer than what the replay guard remembers.
  func window(for record: KeyRecord) -> UInt32 { min(freshness.window(for: record), replays.window) }
}

extension OperationError {
  /// Why the store did not lend a key: an absent one and one that does not serve look the same.
  fileprivate init(lending error: KeyStoreError) {
    switch error {
    case .invocationsUsedUp: self = .rejected(.invocations)
    case .counter, .storage, .crypto: self = .fault
    default: self = .noSuchKey
    }
  }
}

/// How far a token's signing time may be from now, in seconds.
package struct FreshnessWindows: Sendable {
  package let general: UInt32
  /// By merchant identifier.
  package let merchants: [String: UInt32]

  package init(general: UInt32, merchants: [String: UInt32] = [:]) { (self.general, self.merchants) = (general, merchants) }

  /// The key's own window, its merchant's, or the general one.
  package func window(for record: KeyRecord) -> UInt32 {
    if let own = record.freshnessWindow { return UInt32(clamping: own) }
    return record.merchant.flatMap { merchants[$0.text] } ?? general
  }

  package var longest: UInt32 { max(general, merchants.values.max() ?? 0) }
}
