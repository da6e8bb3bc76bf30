internal import Format
internal import Policy

extension FleetConfiguration {
  /// - Parameter others: the paths of the daemon's other sockets.
  static func decode(_ root: TOMLTable, _ accounts: Accounts, besides others: [String]) throws(ConfigurationError) -> FleetConfiguration? {
    try root.optional("fleet")?.decodeTable { table throws(ConfigurationError) in try FleetConfiguration(table, accounts, besides: others) }
  }

  private init(_ table: TOMLTable, _ accounts: Accounts, besides others: [String]) throws(ConfigurationError) {
    self.init()
    let name = "a name of at most 32 lower-case letters, digits and hyphens, such as \"paris-1\""
    host = try table.required("host", name).text(name) { HostName($0)?.text }
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
