package import Format

/// `[memory]`: the arena that holds every secret and all of OpenSSL's heap.
package struct MemoryConfiguration: Message, Sendable {
  /// Bytes, a power of two.
  package var arenaSize = 0
  /// Whether the daemon may use locked memory if the kernel has no `memfd_secret`.
  package var allowsMlockFallback = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "arena_size", &arenaSize, in: Self.arenaSizes)
    try visitor.bool(2, "allow_mlock_fallback", &allowsMlockFallback)
  }

  package func check() throws(WireError) {
    guard arenaSize.nonzeroBitCount == 1 else { throw .badValue(1) }
  }

  package static let arenaSizes = 4 << 20...1 << 30
}

/// `[process]`: which user the daemon becomes if root starts it, and which rights it gives up
/// before it serves.
package struct ProcessConfiguration: Message, Sendable {
  /// nil keeps the user.
  package var user: Principal?
  package var group: Principal?
  /// Whether a system call that serving does not need ends the process.
  package var seccomp = false
  /// Whether the process can open nothing but its own directories.
  package var landlock = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.message(1, "user", "Principal", &user, atMost: Principal.cap)
    try visitor.message(2, "group", "Principal", &group, atMost: Principal.cap)
    try visitor.bool(3, "seccomp", &seccomp)
    try visitor.bool(4, "landlock", &landlock)
  }
}

/// `[limits]`: how much one caller, or all of them, can use.
package struct LimitsConfiguration: Message, Sendable {
  /// Connections of services.
  package var connections = 0
  package var connectionsPerUser = 0
  package var operatorConnections = 0
  package var operatorConnectionsPerUser = 0
  /// How many requests of one connection are worked on before the next is read.
  package var inFlight = 0
  /// Secrets that one connection may hold behind handles.
  package var handles = 0
  /// How long a connection may hold each of them.
  package var handleTimeout = Duration.zero
  /// The rate up to which each refusal of a user has a record of its own.
  package var refusals = Rate(600, per: .minute)
  /// How long a connection may be silent.
  package var idleTimeout = Duration.zero
  /// How long a frame may take from its first byte to its last.
  package var frameTimeout = Duration.zero

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "connections", &connections, in: Self.connectionCounts)
    try visitor.uint32(2, "connections_per_user", &connectionsPerUser, in: Self.connectionCounts)
    try visitor.uint32(3, "operator_connections", &operatorConnections, in: Self.connectionCounts)
    try visitor.uint32(
      4, "operator_connections_per_user", &operatorConnectionsPerUser, in: Self.connectionCounts)
    try visitor.uint32(5, "in_flight", &inFlight, in: Self.inFlightCounts)
    try visitor.uint32(6, "handles", &handles, in: Self.handleCounts)
    try visitor.duration(7, "handle_timeout", &handleTimeout)
    var rate = refusals.description
    try visitor.text(8, "refusals", &rate, .oneTo(32))
    guard let refusals = Rate(rate) else { throw .badValue(8) }
    self.refusals = refusals
    try visitor.duration(9, "idle_timeout", &idleTimeout)
    try visitor.duration(10, "frame_timeout", &frameTimeout)
  }

  package static let (connectionCounts, inFlightCounts, handleCounts) = (1...1024, 1...256, 0...256)

  /// The same with fewer connections for services; operators keep theirs.
  package func with(connections: Int) -> LimitsConfiguration {
    var limits = self
    limits.connections = min(connections, limits.connections)
    limits.connectionsPerUser = min(limits.connections, limits.connectionsPerUser)
    return limits
  }
}

/// `[operators]`: which operations one operator alone cannot do.
package struct OperatorsConfiguration: Message, Sendable {
  /// Operations that need a second operator's approval.
  package var approval: Set<Opcode> = []
  /// How long a request waits and its approval holds, both counted from the request's first
  /// arrival.
  package var approvalTime = Duration.zero

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.operations(1, "approval", &approval)
    try visitor.duration(2, "approval_time", &approvalTime)
  }
}

/// `[fleet]`: this host's part in a fleet of hosts that share merchants.
package struct FleetConfiguration: Message, Sendable {
  /// The host's name in the fleet.
  package var host = ""
  /// The label of the key with which claims are made.
  package var key = ""
  /// Who may connect to the socket: kist-claimd's user.
  package var user = Principal()
  package var socket = ""
  /// How long a claim may take.
  package var timeout = Duration.zero
  /// The labels of the keys whose counter-based codes are made and checked on this host.
  package var homeKeys: [String] = []

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "host", &host, .oneTo(32))
    try visitor.text(2, "key", &key, .oneTo(KeyPattern.maximumByteCount))
    try visitor.message(3, "user", "Principal", &user, atMost: Principal.cap)
    try visitor.text(4, "socket", &socket, .oneTo(107))
    try visitor.duration(5, "timeout", &timeout)
    try visitor.texts(6, "home_keys", &homeKeys, atMost: KeyPattern.maximumByteCount, count: 4096)
  }

  /// Without either there would be no claims, and each host would open a token.
  package func check() throws(WireError) {
    guard HostName(host) != nil, case .label? = KeyPattern(key) else { throw .badValue(1) }
  }
}

/// `[sandbox]`: makes the daemon a rehearsal, in which no production key store opens.
package struct SandboxConfiguration: Message, Sendable {
  /// The root certificate of a test Apple PKI, in place of Apple's.
  package var trustAnchor = ""
  /// The fixed time of the daemon's clock; nil lets the clock run.
  package var clock: Timestamp?

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "trust_anchor", &trustAnchor, .path)
    try visitor.moment(2, "clock", &clock)
  }
}
