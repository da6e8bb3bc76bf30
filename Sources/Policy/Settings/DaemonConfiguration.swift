package import Format

/// What `kist.toml` says: one value for each section, with defaults filled in and everything
/// checked.
package struct DaemonConfiguration: Message, Sendable {
  /// Holds `keys/` and the replay guard's counters.
  package var stateDirectory = ""
  package var service = SocketConfiguration()
  package var admin = SocketConfiguration()
  /// Holds `*.toml` files of grants.
  package var policyDirectory = ""
  /// The slices below which a service or scope counts as a caller's unit.
  package var slices: [String] = []
  package var audit = AuditConfiguration()
  package var backup = BackupConfiguration()
  /// For how long destroyed keys stay listed; nil for ever.
  package var destroyedRetention: Duration?
  package var memory = MemoryConfiguration()
  package var limits = LimitsConfiguration()
  package var process = ProcessConfiguration()
  /// The credential that unlocks the key store at start; nil if an operator does it.
  package var unlock: UnlockCredential?
  /// How long custodians have from the first share to the last; a user who fails too often is
  /// locked out for as long.
  package var shareWindow = Duration.zero
  package var applePay = ApplePayConfiguration()
  package var merchants: [MerchantConfiguration] = []
  package var provisioning = ProvisioningConfiguration()
  package var keyExchange = KeyExchangeConfiguration()
  package var operators = OperatorsConfiguration()
  /// Nil if this host shares no merchant with others.
  package var fleet: FleetConfiguration?
  /// Present only in a sandbox.
  package var sandbox: SandboxConfiguration?

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "state_directory", &stateDirectory, .path)
    try visitor.message(2, "service", "SocketConfiguration", &service, atMost: Self.sectionCap)
    try visitor.message(3, "admin", "SocketConfiguration", &admin, atMost: Self.sectionCap)
    try visitor.text(4, "policy_directory", &policyDirectory, .path)
    try visitor.texts(5, "slices", &slices, atMost: 256, count: 256)
    try visitor.message(6, "audit", "AuditConfiguration", &audit, atMost: Self.sectionCap)
    try visitor.message(7, "backup", "BackupConfiguration", &backup, atMost: Self.sectionCap)
    try visitor.duration(8, "destroyed_retention", &destroyedRetention)
    try visitor.message(9, "memory", "MemoryConfiguration", &memory, atMost: Self.sectionCap)
    try visitor.message(10, "limits", "LimitsConfiguration", &limits, atMost: Self.sectionCap)
    try visitor.message(11, "process", "ProcessConfiguration", &process, atMost: Self.sectionCap)
    var credential = unlock?.text
    try visitor.text(12, "unlock_credential", &credential, .pathIfAny)
    unlock = credential.map(UnlockCredential.init)
    try visitor.duration(13, "share_window", &shareWindow)
    try visitor.message(14, "apple_pay", "ApplePayConfiguration", &applePay, atMost: Self.listCap)
    try visitor.messages(
      15, "merchants", "MerchantConfiguration", &merchants, atMost: Self.sectionCap, count: 65_536)
    try visitor.message(
      16, "provisioning", "ProvisioningConfiguration", &provisioning, atMost: Self.sectionCap)
    try visitor.message(
      17, "key_exchange", "KeyExchangeConfiguration", &keyExchange, atMost: Self.sectionCap)
    try visitor.message(
      18, "operators", "OperatorsConfiguration", &operators, atMost: Self.sectionCap)
    try visitor.message(19, "fleet", "FleetConfiguration", &fleet, atMost: Self.listCap)
    try visitor.message(20, "sandbox", "SandboxConfiguration", &sandbox, atMost: Self.sectionCap)
  }

  private static let (sectionCap, listCap) = (1 << 16, 1 << 20)
}

/// A socket of the daemon's.
package struct SocketConfiguration: Message, Sendable {
  package var path = ""
  /// Of the socket's file where the daemon makes it; nil leaves what the process has.
  package var owner, group: Principal?
  package var mode: UInt32 = 0

  package init() {}
  package init(_ path: String, owner: Principal, mode: UInt32) {
    self.path = path
    self.owner = owner
    self.mode = mode
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    // sockaddr_un has room for 107 bytes and a zero.
    try visitor.text(1, "path", &path, .oneTo(107))
    try visitor.message(2, "owner", "Principal", &owner, atMost: Principal.cap)
    try visitor.message(3, "group", "Principal", &group, atMost: Principal.cap)
    try visitor.uint32(4, "mode", &mode)
  }
}

/// `[audit]`: where the log is, and its name.
package struct AuditConfiguration: Message, Sendable {
  package var directory = ""
  /// The log's name in its checkpoints, such as `acme.example/kist/prod-1`; no two logs may share
  /// it.
  package var origin = ""
  /// The hash that the first record names as the one before it: 64 hexadecimal digits that a
  /// ceremony ended with; nil for zeros.
  package var genesis: String?
  /// The digest of a copy whose log is lost: the store made from it begins a new log, once. 64
  /// hexadecimal digits.
  package var lostWith: String?
  /// Bytes preallocated per segment.
  package var segmentSize = 0
  /// The age at which a segment is followed by another, even if it is not full; nil for no limit.
  package var segmentAge: Duration?
  /// Bytes kept in the directory for when its disk is full.
  package var reserve = 0
  /// In bytes; with less space left the daemon is not ready.
  package var lowSpace = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "directory", &directory, .path)
    try visitor.text(2, "origin", &origin, .oneTo(128))
    try visitor.text(3, "genesis", &genesis, .digest)
    try visitor.text(4, "lost_with", &lostWith, .digest)
    try visitor.uint32(5, "segment_size", &segmentSize, in: Self.segmentSizes)
    try visitor.duration(6, "segment_age", &segmentAge)
    try visitor.uint32(7, "reserve", &reserve, in: Self.reserves)
    var space = UInt64(lowSpace)
    try visitor.uint64(8, "low_space", &space)
    lowSpace = Int(clamping: space)
  }

  package static let segmentSizes = 1 << 20...1 << 30
  package static let reserves = 2 << 20...1 << 30
}

/// `[backup]`: where copies of the key store go.
package struct BackupConfiguration: Message, Sendable {
  /// Holds a directory for each copy; nil if none can be made.
  package var directory: String?
  /// The digest of a copy from which the key store may be restored although the log has no record
  /// of the copy; 64 hexadecimal digits.
  package var restored: String?
  /// The digest of a copy from which the key store may be restored although records of the log
  /// since are gone; 64 hexadecimal digits.
  package var forgotten: String?

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "directory", &directory, .pathIfAny)
    try visitor.text(2, "restored", &restored, .digest)
    try visitor.text(3, "forgotten", &forgotten, .digest)
  }
}

/// `[unlock] credential`: what unlocks the key store without an operator.
package enum UnlockCredential: Hashable, Sendable {
  /// A file, by its absolute path.
  case file(String)
  /// A systemd credential, by its name under `$CREDENTIALS_DIRECTORY`.
  case systemd(String)

  package init(_ text: String) { self = text.hasPrefix("/") ? .file(text) : .systemd(text) }

  var text: String {
    switch self {
    case .file(let path): path
    case .systemd(let name): name
    }
  }
}
