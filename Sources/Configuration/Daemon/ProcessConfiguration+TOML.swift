import Format
import Policy

extension ProcessConfiguration {
  init(_ table: TOMLTable, _ accounts: Accounts) throws(ConfigurationError) {
    self.init()
    user = try table.optional("user")?.user(accounts)
    group = try table.optional("group")?.group(accounts)
    seccomp = try table.optional("seccomp")?.boolean() ?? true
    landlock = try table.optional("landlock")?.boolean() ?? true
  }
}

extension MemoryConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    arenaSize =
      try table.optional("arena_size")?.size(in: Self.arenaSizes, powerOfTwo: true) ?? 32 << 20
    allowsMlockFallback = try table.optional("allow_mlock_fallback")?.boolean() ?? false
  }
}

extension LimitsConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    connections = try table.optional("connections")?.integer(in: Self.connectionCounts) ?? 128
    connectionsPerUser =
      try table.optional("connections_per_user")?.integer(in: 1...connections)
      ?? min(32, connections)
    operatorConnections =
      try table.optional("operator_connections")?.integer(in: Self.connectionCounts) ?? 16
    operatorConnectionsPerUser =
      try table.optional("operator_connections_per_user")?.integer(in: 1...operatorConnections)
      ?? min(8, operatorConnections)
    inFlight = try table.optional("in_flight")?.integer(in: Self.inFlightCounts) ?? 32
    handles = try table.optional("handles")?.integer(in: Self.handleCounts) ?? 16
    handleTimeout =
      try table.optional("handle_timeout")?.duration(in: .seconds(1)...(.seconds(3600)))
      ?? .seconds(60)
    let rate =
      "a rate of refusals that have a record each, such as \"600/m\", which is 600 at once and 10 a second"
    refusals = try table.optional("refusals")?.text(rate) { Rate($0) } ?? refusals
    idleTimeout =
      try table.optional("idle_timeout")?.duration(in: .seconds(1)...(.seconds(86_400)))
      ?? .seconds(300)
    frameTimeout =
      try table.optional("frame_timeout")?.duration(in: .milliseconds(100)...(.seconds(60)))
      ?? .seconds(5)
  }
}

extension OperatorsConfiguration {
  /// - Parameter isSandbox: a sandbox has one person, who needs no approval.
  init(_ table: TOMLTable, isSandbox: Bool) throws(ConfigurationError) {
    self.init()
    approval = try Self.approval(table) ?? (isSandbox ? [] : Opcode.approvedByDefault)
    approvalTime =
      try table.optional("approval_time")?.duration(in: .seconds(60)...(.seconds(86_400)))
      ?? .seconds(900)
  }

  private static func approval(_ table: TOMLTable) throws(ConfigurationError) -> Set<Opcode>? {
    guard let node = table.optional("approval") else { return nil }
    let names = Opcode.allCases.filter { $0.isForOperators && $0.traits.approval != .never }.map(
      \.name)
    var operations: Set<Opcode> = []
    for element in try node.array("operators' operations") {
      let opcode = try element.text("one of \(names.joined(separator: ", "))") {
        names.contains($0) ? Opcode(name: $0) : nil
      }
      guard operations.insert(opcode).inserted else {
        throw element.error("is listed twice in 'approval'; expected once")
      }
    }
    return operations
  }
}

extension FleetConfiguration {
  /// - Parameter others: the paths of the daemon's other sockets.
  static func decode(_ root: TOMLTable, _ accounts: Accounts, besides others: [String])
    throws(ConfigurationError) -> FleetConfiguration?
  {
    try root.optional("fleet")?.decodeTable { table throws(ConfigurationError) in
      try FleetConfiguration(table, accounts, besides: others)
    }
  }

  private init(_ table: TOMLTable, _ accounts: Accounts, besides others: [String])
    throws(ConfigurationError)
  {
    self.init()
    let name = "a name of at most 32 lower-case letters, digits and hyphens, such as \"paris-1\""
    host = try table.text("host", name) { HostName($0)?.text }
    key = try table.required("key", "the label of the fleet's key").keyLabel()
    user = try table.required("user", "the user of kist-claimd").user(accounts)
    socket = try table.optional("socket")?.socketPath() ?? "/run/kist/claims.sock"
    guard !others.contains(socket) else {
      throw (table.optional("socket") ?? table.node).unfit(
        "\"\(socket)\"", "another path than those of [service] and [admin]")
    }
    timeout =
      try table.optional("timeout")?.duration(in: .milliseconds(10)...(.seconds(10)))
      ?? .milliseconds(500)
    homeKeys = try table.list("home_keys", "key labels") { node throws(ConfigurationError) in
      try node.keyLabel()
    }
  }
}

extension SandboxConfiguration {
  /// nil if there is no such section.
  static func decode(_ root: TOMLTable) throws(ConfigurationError) -> SandboxConfiguration? {
    try root.optional("sandbox")?.decodeTable { table throws(ConfigurationError) in
      let rehearsal = try table.required(
        "rehearsal", "true, which marks every key as a rehearsal's")
      guard try rehearsal.boolean() else {
        throw rehearsal.unfit("false", "true; a production configuration has no [sandbox]")
      }
      var sandbox = SandboxConfiguration()
      sandbox.trustAnchor = try table.required(
        "trust_anchor", "the absolute path of a root certificate"
      ).path()
      sandbox.clock = try table.optional("clock")?.text("a moment such as \"2026-11-20T09:30:00Z\"")
      { Timestamp($0) }
      return sandbox
    }
  }
}
