package import ApplePay
package import Audit
package import Crypto
package import Format
package import Host
package import KeyStore
package import Operations
package import Policy

/// What a service is given at start instead of finding it out itself.
package struct ServiceSettings: Sendable {
  package let kind: StoreKind
  package var anchor: TrustAnchor
  package var merchantIssuers: MerchantIssuers
  package let provisioning: ProvisioningSettings
  /// How many transactions the replay guard remembers in each generation.
  package let replayCapacity: Int
  package let inFlight: Int
  /// How many of Apple's leaves may have a table that verifies their signatures faster, each 256
  /// KiB of the arena.
  package var leafTables = 0
  package let handles: HandleLimits
  package var audit: AuditLocation
  package let state: StateDirectory
  package let clock: @Sendable () -> Timestamp
  package let monotonicClock: @Sendable () -> MonotonicTime
  /// Whether the clock runs, so that a step of it is recorded.
  package var watchesClock = true
  /// How many records lie between two savings of the use counts, at least: what a start after a
  /// crash reads.
  package var countsInterval: UInt64 = 1 << 13
  /// How many refusals of one caller have a record each; those beyond are counted in one record a
  /// second. Nil for no limit.
  package var refusalBudget: Rate?
  /// Nanoseconds between the first share and the end of the window for the others.
  package var shareWindow: Int64 = 900_000_000_000
  /// Looks up the uid of a local user.
  package var userID: @Sendable (String) -> UInt32? = { _ in nil }
  /// Runs an action after some nanoseconds, on another thread. It never fails to, since callers ask
  /// once.
  package var after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void = { _, _ in }
  /// Fixed at start: a reload that could change it could abolish it.
  package var approval = ApprovalSettings()
  /// Where copies of the key store are written; nil if none may be.
  package var backupDirectory: String?
  /// The digest of a copy that the store may come from, even if no recorded request made it.
  package var restored: Digest256?
  /// The digest of a copy that the store may come from, even if records of the log since are gone.
  package var forgotten: Digest256?
  /// For how many seconds destroyed keys stay listed; nil for ever.
  package var destroyedRetention: Int64?
  /// Identifies this machine; nil if unknown.
  package var machine: Digest256?
  /// Whether the store may have been last opened on another machine.
  package var isMoved = false
  /// Nil if the host is in no fleet.
  package var fleet: Fleet?
  package let connectionCount: @Sendable () -> Int
  /// Whether the kernel can identify a caller's unit and executable.
  package var tellsProcesses = true
  /// Sets what a status report says of the process, measured now.
  package let describeProcess: @Sendable (inout StatusReport) -> Void
  /// Adds what the `metrics` operation says of connections and of the process.
  package var addFigures: @Sendable (inout MetricsReply) -> Void = { _ in }
  /// Called now and then while much of the log is read.
  package var isReading: @Sendable () -> Void = {}
  /// Reports to the person on call.
  package var report: @Sendable (ServiceEvent) -> Void

  package init(
    kind: StoreKind, anchor: TrustAnchor, merchantIssuers: MerchantIssuers,
    provisioning: ProvisioningSettings = ProvisioningSettings(), replayCapacity: Int,
    inFlight: Int,
    handles: HandleLimits = .standard,
    audit: AuditLocation, state: StateDirectory,
    clock: @escaping @Sendable () -> Timestamp,
    monotonicClock: @escaping @Sendable () -> MonotonicTime,
    connectionCount: @escaping @Sendable () -> Int,
    describeProcess: @escaping @Sendable (inout StatusReport) -> Void,
    report: @escaping @Sendable (ServiceEvent) -> Void
  ) {
    self.kind = kind
    self.anchor = anchor
    self.merchantIssuers = merchantIssuers
    self.replayCapacity = replayCapacity
    self.provisioning = provisioning
    self.inFlight = inFlight
    self.handles = handles
    self.audit = audit
    self.state = state
    self.clock = clock
    self.monotonicClock = monotonicClock
    self.report = report
    self.connectionCount = connectionCount
    self.describeProcess = describeProcess
  }
}

/// Which operations need a second operator whatever the policy says, and how long a request waits
/// for one.
package struct ApprovalSettings: Sendable {
  package let operations: Set<Opcode>
  package let seconds: Int64

  package init(_ operations: Set<Opcode> = [], seconds: Int64 = 900) {
    self.operations = operations
    self.seconds = seconds
  }
}

/// How the certificates that Apple gives an issuer are checked.
package struct ProvisioningSettings: Sendable {
  package let issuer: ProvisioningIssuer
  /// Whether they must be within their validity.
  package let checksValidity: Bool

  package init(issuer: ProvisioningIssuer = .apple, checksValidity: Bool = true) {
    self.issuer = issuer
    self.checksValidity = checksValidity
  }
}

/// Where the audit log is, its origin, and how it is written.
package struct AuditLocation: Sendable {
  package let directory: LogDirectory
  package let origin: String
  package var settings: AuditSettings
  /// The digest of the only copy with which a new log may be begun.
  package var lostWith: Digest256?

  package init(directory: LogDirectory, origin: String, settings: AuditSettings) {
    self.directory = directory
    self.origin = origin
    self.settings = settings
  }
}

/// Something that the person on call should know; reveals nothing about requests.
package enum ServiceEvent: Sendable {
  case unlocked(keys: Int, auditSize: UInt64)
  case locked
  /// The key store's directory has files that the store does not know; nobody reads them.
  /// [KS-STRAYS]
  case strayFiles(count: Int, first: String)
  /// The store came from a copy and was brought up to the log.
  case restored(Event.Restoring)
  /// Records needed at a start are missing or compressed; the first that could be read was written
  /// at `since`.
  case recordsUnread(since: Timestamp)
  case backupFailed(KeyStoreError)
  case unlockFailed(UnlockError)
  case shareTaken(present: Int, needed: Int)
  case shareRefused(Stage)
  /// Shares were wiped because not enough came in time, or because an operator locked.
  case sharesWiped
  /// In whole days; negative after the end.
  case keyEnding(label: String, days: Int64)
  /// The log's checkpoint could not be written beside the key store; the next records try again.
  case checkpointNotKept(DiskError)
  /// The wall clock was set by so much, or is behind the log.
  case clockStep(microseconds: Int64)
  case auditUnavailable(AuditError)
  /// The log's disk is full; nothing is served until there is space.
  case auditFull
  case auditResumed
  case connectionsRefused(RefusedConnections)
  /// A token that was opened while the fleet's store was away, by this record, was opened by
  /// another host, too.
  case duplicateOpening(Digest256, opening: UInt64, host: String)
}
