package import ApplePay
package import Audit
package import CryptoBackend
package import Encoding
package import KeyStore
package import Operations
package import Policy
package import Storage
package import Wire

/// What a service is told at start and never asks for itself.
package struct ServiceSettings: Sendable {
  package let kind: StoreKind
  package var anchor: TrustAnchor
  package let provisioning: ProvisioningSettings
  /// Transactions that the replay guard remembers per generation.
  package let replayCapacity: Int
  package let inFlight: Int
  package let handles: HandleLimits
  package var audit: AuditLocation
  package let state: StateDirectory
  package let clock: @Sendable () -> Timestamp
  package let monotonicClock: @Sendable () -> MonotonicTime
  /// Whether the clock is one that runs, so that a step of it goes on the record.
  package var watchesClock = true
  /// Records between two savings of the counts of uses: what a start after a crash has to read at the most.
  package var countsInterval: UInt64 = 1 << 16
  /// How many refusals of one caller have a record each; those beyond it are counted in one record a second. Nil for no bound.
  package var refusalBudget: Rate?
  /// Nanoseconds that custodians have from the first share to the last.
  package var shareWindow: Int64 = 900_000_000_000
  /// The number of a local user.
  package var userID: @Sendable (String) -> UInt32? = { _ in nil }
  /// Does something after so many nanoseconds, on a thread of its own.
  package var after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void = { _, _ in }
  /// Fixed at start: a reload that could change it could do away with it.
  package var approval = ApprovalSettings()
  /// Where copies of the key store go; nil for nowhere.
  package var backupDirectory: String?
  /// The digest of a copy that the store may come from, though no request on the record made it.
  package var restored: Digest256?
  /// The machine; nil where it cannot be told.
  package var machine: Digest256?
  /// Whether the store may come from another machine.
  package var isMoved = false
  package let connectionCount: @Sendable () -> Int
  /// Whether the kernel tells a caller's unit and executable.
  package var tellsProcesses = true
  /// What protects the process, measured now.
  package let protection: @Sendable () -> ProcessProtection
  /// Called now and then while much of the log is read back.
  package var isReading: @Sendable () -> Void = {}
  /// Tells the person on call.
  package var report: @Sendable (ServiceEvent) -> Void

  package init(
    kind: StoreKind, anchor: TrustAnchor, provisioning: ProvisioningSettings = ProvisioningSettings(), replayCapacity: Int, inFlight: Int,
    handles: HandleLimits = .standard,
    audit: AuditLocation, state: StateDirectory,
    clock: @escaping @Sendable () -> Timestamp, monotonicClock: @escaping @Sendable () -> MonotonicTime,
    connectionCount: @escaping @Sendable () -> Int, protection: @escaping @Sendable () -> ProcessProtection,
    report: @escaping @Sendable (ServiceEvent) -> Void
  ) {
    (self.kind, self.anchor, self.replayCapacity) = (kind, anchor, replayCapacity)
    self.provisioning = provisioning
    (self.inFlight, self.handles, self.audit, self.state) = (inFlight, handles, audit, state)
    (self.clock, self.monotonicClock, self.report) = (clock, monotonicClock, report)
    (self.connectionCount, self.protection) = (connectionCount, protection)
  }
}

/// Which operations need a second operator whatever policy says, and how long a request waits for one.
package struct ApprovalSettings: Sendable {
  package let operations: Set<Opcode>
  package let seconds: Int64

  package init(_ operations: Set<Opcode> = [], seconds: Int64 = 900) { (self.operations, self.seconds) = (operations, seconds) }
}

/// How the certificates that Apple hands an issuer are checked.
package struct ProvisioningSettings: Sendable {
  package let issuer: ProvisioningIssuer
  /// Whether they must be valid now.
  package let checksValidity: Bool

  package init(issuer: ProvisioningIssuer = .apple, checksValidity: Bool = true) {
    (self.issuer, self.checksValidity) = (issuer, checksValidity)
  }
}

/// Where the audit log is and what it calls itself.
package struct AuditLocation: Sendable {
  package let directory: LogDirectory
  package let origin: String
  /// The ceremony transcript's hash, with which a log that is new begins; nil for zeros.
  package var genesis: Digest256?
  /// The digest of the one copy whose store may begin a log anew.
  package var lostWith: Digest256?
  /// Bytes.
  package let segmentSize: Int
  /// In microseconds; nil for no end by age.
  package let segmentAge: Int64?
  /// Bytes kept for when the disk is full, and below which free space is low.
  package let reserve, lowSpace: Int
  package let boot: BootID

  package init(directory: LogDirectory, origin: String, segmentSize: Int, segmentAge: Int64? = nil, reserve: Int = 0, lowSpace: Int = 0, boot: BootID) {
    (self.directory, self.origin, self.segmentSize, self.boot) = (directory, origin, segmentSize, boot)
    (self.segmentAge, self.reserve, self.lowSpace) = (segmentAge, reserve, lowSpace)
  }
}

/// Something the person on call should know; says nothing of any request.
package enum ServiceEvent: Sendable {
  case unlocked(keys: Int, auditSize: UInt64)
  case locked
  /// The store came from a copy, and is what the log says it must be.
  case restored(Event.Restoring)
  /// Records that a start wanted to read back are missing or compressed; the first that could be read was written then.
  case recordsUnread(since: Timestamp)
  case backupFailed(KeyStoreError)
  case unlockFailed(UnlockError)
  case shareTaken(present: Int, needed: Int)
  case shareRefused(Stage)
  /// Custodians' shares were not enough in time, or somebody locked.
  case sharesWiped
  /// In whole days; negative where it is over.
  case keyEnding(label: String, days: Int64)
  /// The log's checkpoint could not be written beside the key store; it is tried again with the next records.
  case checkpointNotKept(DiskError)
  case auditUnavailable(AuditError)
  /// The log's disk is full; nothing is served until there is space.
  case auditFull
  case auditResumed
  case connectionsRefused(RefusedConnections)
}
