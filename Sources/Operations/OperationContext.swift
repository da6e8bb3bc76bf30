package import ApplePay
package import Audit
package import Encoding
package import KeyBlock
package import KeyStore
package import Policy
internal import Wire

/// What operations need besides their grant and body; one for each unlocked key store.
package struct OperationContext: Sendable {
  package let keys: KeyStore
  package let digests: DigestKey
  package let verifier: PaymentTokenVerifier
  package let provisioning: ProvisioningVerifier
  package let replays: ReplayGuard
  /// From the rules that the request began under, for operations that report a caller's rights.
  package var policy = Policy.empty
  /// From the same rules.
  package var freshness: FreshnessWindows
  /// From the same rules.
  package var standInKeys = StandInKeys()
  /// From the same rules: which of versions A, B and C are allowed for imported blocks.
  package var oldBlocks: Set<KeyBlockVersion> = []
  /// The secrets of the request's connection.
  package var handles = HandleTable.none
  package let pending: PendingRequests
  /// The user id of the person who approved the request; nil if no approval was needed.
  package var approvedBy: UInt32?
  /// How many requests one connection may have in flight.
  package let inFlight: Int
  package let rehearsal: Bool
  package let clock: @Sendable () -> Timestamp
  /// The audit log's size and root, which every change of the key store writes to the manifest.
  package let anchor: @Sendable () -> AuditAnchor
  /// The head of the log's checkpoint over exactly this many records; nil if there is none with a valid signature.
  package var signedHead: @Sendable (UInt64) throws(AuditError) -> TreeHead? = { _ in nil }

  /// Where copies of the key store are written; nil if none may be.
  package var backupDirectory: String?
  /// Saves the use counts, while the log writes nothing.
  package var saveCounts: @Sendable () -> Void = {}
  /// Tells the person on call why a copy failed.
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

  /// The key that a live grant names; counts one use of it if its uses are limited.
  ///
  /// - Throws: `.noSuchKey` if its role, state or period do not serve the operation; `.rejected(.invocations)`.
  func key(for grant: borrowing Grant) throws(OperationError) -> KeySlot {
    do throws(KeyStoreError) { return try keys.key(for: grant, at: clock()) } catch { throw OperationError(lending: error) }
  }

  /// A second key, named in the request's body; otherwise as `key(for:)`.
  func furtherKey(_ id: KeyID, of role: KeyRole, serving opcode: Opcode, for grant: borrowing Grant) throws(OperationError) -> KeySlot {
    do throws(KeyStoreError) {
      return try keys.furtherKey(id, of: role, serving: opcode, for: grant, at: clock())
    } catch { throw OperationError(lending: error) }
  }

  /// The freshness window for a key's tokens, but no longer than the replay guard remembers.
  func window(for record: KeyRecord) -> UInt32 { min(freshness.window(for: record), replays.window) }
}

extension OperationError {
  /// Why the key store refused a key: an absent key and an unsuitable one must look the same.
  fileprivate init(lending error: KeyStoreError) {
    switch error {
    case .invocationsUsedUp: self = .rejected(.invocations)
    case .counter, .storage, .crypto: self = .fault
    default: self = .noSuchKey
    }
  }
}
