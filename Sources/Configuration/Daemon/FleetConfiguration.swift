package import ClaimWire
package import Policy

/// `[fleet]`: this host's part in a fleet of hosts that share merchants.
package struct FleetConfiguration: Sendable {
  /// The host's name in the fleet.
  package let host: HostName
  /// The label of the key with which claims are made.
  package let key: String
  /// Who may connect to the socket: kist-claimd's user.
  package let user: Principal
  package let socket: String
  /// How long a claim may take.
  package let timeout: Duration
  /// The labels of the keys whose counter-based codes are made and checked on this host.
  package let homeKeys: [String]

  /// - Parameter others: the paths of the daemon's other sockets.
  static func decode(_ root: TOMLTable, _ accounts: Accounts, besides others: [String]) throws(ConfigurationError) -> FleetConfiguration? {
    try root.optional("fleet")?.decodeTable { table throws(ConfigurationError) in try FleetConfiguration(table, accounts, besides: others) }
  }

  private init(_ table: TOMLTable, _ accounts: Accounts, besides others: [String]) throws(ConfigurationError) {
    let name = "a name of at most 32 lower-case letters, digits and hyphens, such as \"paris-1\""
    host = try table.required("host", name).text(name) { HostName($0) }
    key = try table.required("key", "the label of the fleet's key").keyLabel()
    user = try table.required("user", "the user of kist-claimd").user(accounts)
    socket = try table.optional("socket")?.socketPath() ?? "/run/kist/claims.sock"
    guard !others.contains(socket) else {
      throw (table.optional("socket") ?? table.node).unfit("\"\(socket)\"", "another path than those of [service] and [admin]")
    }
    timeout = try table.optional("timeout")?.duration(in: .milliseconds(10)...(.seconds(10))) ?? .milliseconds(500)
    homeKeys = try table.list("home_keys", "key labels") { node throws(ConfigurationError) in try node.keyLabel() }
  }
}
