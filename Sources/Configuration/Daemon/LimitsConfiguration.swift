package import Policy

/// `[limits]`: how much one caller, or all of them, can use.
package struct LimitsConfiguration: Sendable {
  /// Connections of services.
  package private(set) var connections: Int
  package private(set) var connectionsPerUser: Int
  package let operatorConnections: Int
  package let operatorConnectionsPerUser: Int
  /// How many requests of one connection are worked on before the next is read.
  package let inFlight: Int
  /// Secrets that one connection may hold behind handles.
  package let handles: Int
  /// How long a connection may hold each of them.
  package let handleTimeout: Duration
  /// The rate up to which each refusal of a user has a record of its own.
  package let refusals: Rate
  /// How long a connection may be silent.
  package let idleTimeout: Duration
  /// How long a frame may take from its first byte to its last.
  package let frameTimeout: Duration

  init(_ table: TOMLTable) throws(ConfigurationError) {
    let connections = try table.optional("connections")?.integer(in: 1...1024) ?? 128
    self.connections = connections
    connectionsPerUser = try table.optional("connections_per_user")?.integer(in: 1...connections) ?? min(32, connections)
    let operatorConnections = try table.optional("operator_connections")?.integer(in: 1...1024) ?? 16
    self.operatorConnections = operatorConnections
    operatorConnectionsPerUser = try table.optional("operator_connections_per_user")?.integer(in: 1...operatorConnections) ?? min(8, operatorConnections)
    inFlight = try table.optional("in_flight")?.integer(in: 1...256) ?? 32
    handles = try table.optional("handles")?.integer(in: 0...256) ?? 16
    handleTimeout = try table.optional("handle_timeout")?.duration(in: .seconds(1)...(.seconds(3600))) ?? .seconds(60)
    let rate = "a rate of refusals that have a record each, such as \"600/m\", which is 600 at once and 10 a second"
    refusals = try table.optional("refusals")?.text(rate) { Rate($0) } ?? Self.usualRefusals
    idleTimeout = try table.optional("idle_timeout")?.duration(in: .seconds(1)...(.seconds(86_400))) ?? .seconds(300)
    frameTimeout = try table.optional("frame_timeout")?.duration(in: .milliseconds(100)...(.seconds(60))) ?? .seconds(5)
  }

  /// The same with fewer connections for services; operators keep theirs.
  package func with(connections: Int) -> LimitsConfiguration {
    var limits = self
    limits.connections = min(connections, limits.connections)
    limits.connectionsPerUser = min(limits.connections, limits.connectionsPerUser)
    return limits
  }

  private static let usualRefusals = Rate(600, per: .minute)
}
