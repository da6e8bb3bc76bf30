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
  /// What `kist.toml` says. Fixed at start: a reload that could change approval could abolish it.
  package var configuration: DaemonConfiguration
  package var anchor: TrustAnchor
  package var merchantIssuers: MerchantIssuers
  package let log: LogDirectory
  package var audit: AuditSettings
  package let state: StateDirectory
  package let clock: @Sendable () -> Timestamp
  package let monotonicClock: @Sendable () -> MonotonicTime
  /// How many records lie between two savings of the use counts, at least: what a start after a
  /// crash reads.
  package var countsInterval: UInt64 = 1 << 13
  /// Looks up the uid of a local user.
  package var userID: @Sendable (String) -> UInt32? = { _ in nil }
  /// Runs an action after some nanoseconds, on another thread. It never fails to, since callers ask
  /// once.
  package var after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void = { _, _ in }
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
    _ configuration: DaemonConfiguration, anchor: TrustAnchor, merchantIssuers: MerchantIssuers,
    log: LogDirectory, audit: AuditSettings, state: StateDirectory,
    clock: @escaping @Sendable () -> Timestamp,
    monotonicClock: @escaping @Sendable () -> MonotonicTime,
    connectionCount: @escaping @Sendable () -> Int,
    describeProcess: @escaping @Sendable (inout StatusReport) -> Void,
    report: @escaping @Sendable (ServiceEvent) -> Void
  ) {
    self.configuration = configuration
    self.anchor = anchor
    self.merchantIssuers = merchantIssuers
    self.log = log
    self.audit = audit
    self.state = state
    self.clock = clock
    self.monotonicClock = monotonicClock
    self.report = report
    self.connectionCount = connectionCount
    self.describeProcess = describeProcess
  }
}

extension DaemonConfiguration {
  package var kind: StoreKind { sandbox == nil ? .production : .rehearsal }

  /// How many of Apple's leaves may have a table that verifies their signatures faster: in a small
  /// arena the room is left to keys and requests.
  var leafTables: Int { memory.arenaSize >= 16 << 20 ? LeafTables.usualLimit : 0 }
}

extension ProvisioningIssuer {
  /// Apple's present intermediate, unless the configuration names another.
  init(_ configuration: ProvisioningConfiguration) {
    self.init(
      commonName: configuration.intermediateName ?? Self.apple.commonName,
      marker: configuration.intermediateMarker.map {
        OID($0)
      } ?? Self.apple.marker)
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
