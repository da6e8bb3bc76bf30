internal import Policy

extension SocketConfiguration {
  /// The mode may let everybody connect, since policy decides who gets an answer.
  init(service table: TOMLTable, _ accounts: Accounts) throws(ConfigurationError) {
    try self.init(table, accounts, path: "/run/kist/kist.sock", mode: 0o660, allowed: 0o666)
  }

  init(admin table: TOMLTable, _ accounts: Accounts, besides service: SocketConfiguration) throws(ConfigurationError) {
    try self.init(table, accounts, path: "/run/kist/admin.sock", mode: 0o600, allowed: 0o660)
    guard path != service.path else {
      throw (table.optional("socket") ?? table.node).unfit("\"\(path)\"", "another path than that of [service]")
    }
  }

  private init(_ table: TOMLTable, _ accounts: Accounts, path: String, mode: UInt32, allowed: UInt32) throws(ConfigurationError) {
    self.init()
    self.path = try table.optional("socket")?.socketPath() ?? path
    owner = try table.optional("owner")?.user(accounts)
    group = try table.optional("group")?.group(accounts)
    self.mode = try table.optional("mode")?.mode(allowed: allowed) ?? mode
  }
}

extension TOMLNode {
  /// A path that fits `sun_path` with its terminating zero.
  func socketPath() throws(ConfigurationError) -> String {
    let path = try path()
    guard path.utf8.count <= 107 else { throw unfit("\(path.utf8.count) bytes long", "a path of at most 107 bytes, as a socket's must be") }
    return path
  }
}
