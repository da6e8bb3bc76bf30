package import ApplePay
package import Audit
package import Format
package import KeyStore

/// What all requests share while the key store is open.
package final class DaemonContext: Sendable {
  package let keys: KeyStore
  package let digests: DigestKey
  package let verifier: PaymentTokenVerifier
  package let provisioning: ProvisioningVerifier
  package let merchantIssuers: MerchantIssuers
  package let replays: ReplayGuard
  /// Openings that their callers can repeat.
  package let repeatable: RepeatableOpenings
  /// Envelopes that open once and were opened.
  package let usedEnvelopes: ReplayGuard
  /// Nil if the host is in no fleet.
  package let fleet: Fleet?
  /// Openings while the fleet's store was away, which are not claimed yet.
  package let localOpenings: LocalOpenings
  package let pending: PendingRequests
  /// Nil if no copies of the key store may be made.
  package let backups: Backups?
  /// How many requests one connection may have in flight.
  package let inFlight: Int
  package let isRehearsal: Bool
  package let clock: @Sendable () -> Timestamp
  /// The audit log's size and root, which every change of the key store writes to the manifest.
  package let anchor: @Sendable () -> AuditAnchor
  /// The head of the log's checkpoint over exactly this many records; nil if there is none with a
  /// valid signature.
  package let signedHead: @Sendable (UInt64) throws(AuditError) -> TreeHead?

  package init(
    keys: KeyStore, digests: DigestKey, verifier: PaymentTokenVerifier,
    provisioning: ProvisioningVerifier, merchantIssuers: MerchantIssuers,
    replays: ReplayGuard, repeatable: RepeatableOpenings, usedEnvelopes: ReplayGuard,
    fleet: Fleet?, localOpenings: LocalOpenings, pending: PendingRequests, backups: Backups?,
    inFlight: Int, isRehearsal: Bool,
    clock: @escaping @Sendable () -> Timestamp,
    anchor: @escaping @Sendable () -> AuditAnchor,
    signedHead: @escaping @Sendable (UInt64) throws(AuditError) -> TreeHead?
  ) {
    self.keys = keys
    self.digests = digests
    self.verifier = verifier
    self.provisioning = provisioning
    self.replays = replays
    self.fleet = fleet
    self.localOpenings = localOpenings
    self.merchantIssuers = merchantIssuers
    self.repeatable = repeatable
    self.usedEnvelopes = usedEnvelopes
    self.pending = pending
    self.backups = backups
    self.inFlight = inFlight
    self.isRehearsal = isRehearsal
    self.clock = clock
    self.anchor = anchor
    self.signedHead = signedHead
  }

  /// Where copies of the key store are written, and what that takes.
  package struct Backups: Sendable {
    package let directory: String
    /// Saves the use counts, while the log writes nothing.
    package let saveCounts: @Sendable () -> Void
    /// Tells the person on call why a copy failed.
    package let reportFailure: @Sendable (KeyStoreError) -> Void

    package init(
      directory: String, saveCounts: @escaping @Sendable () -> Void,
      reportFailure: @escaping @Sendable (KeyStoreError) -> Void
    ) {
      self.directory = directory
      self.saveCounts = saveCounts
      self.reportFailure = reportFailure
    }
  }
}
