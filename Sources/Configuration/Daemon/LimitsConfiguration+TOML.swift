internal import Policy

extension LimitsConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    connections = try table.optional("connections")?.integer(in: Self.connectionCounts) ?? 128
    connectionsPerUser = try table.optional("connections_per_user")?.integer(in: 1...connections) ?? min(32, connections)
    operatorConnections = try table.optional("operator_connections")?.integer(in: Self.connectionCounts) ?? 16
    operatorConnectionsPerUser = try table.optional("operator_connections_per_user")?.integer(in: 1...operatorConnections) ?? min(8, operatorConnections)
    inFlight = try table.optional("in_flight")?.integer(in: Self.inFlightCounts) ?? 32
    handles = try table.optional("handles")?.integer(in: Self.handleCounts) ?? 16
    handleTimeout = try table.optional("handle_timeout")?.duration(in: .seconds(1)...(.seconds(3600))) ?? .seconds(60)
    let rate = "a rate of refusals that have a record each, such as \"600/m\", which is 600 at once and 10 a second"
    refusals = try table.optional("refusals")?.text(rate) { Rate($0) } ?? refusals
    idleTimeout = try table.optional("idle_timeout")?.duration(in: .seconds(1)...(.seconds(86_400))) ?? .seconds(300)
    frameTimeout = try table.optional("frame_timeout")?.duration(in: .milliseconds(100)...(.seconds(60))) ?? .seconds(5)
  }
}
