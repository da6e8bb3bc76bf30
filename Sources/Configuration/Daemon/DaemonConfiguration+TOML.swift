// Configuration: kist.toml and policy.d, read strictly, with the place of every mistake, and who is
// who on this host.
// It knows TOML, the names of users and groups, and whose files can be trusted.
// It must not know keys, requests or how the daemon acts on a setting.
// Called by kistd, kist-claimd and kist; kistd-keys does not link it.

package import Policy

extension DaemonConfiguration {
  package static let defaultPath = "/etc/kist/kist.toml"

  /// Reads and checks a file that only root, this process' user and `user` can change; names are
  /// looked up in `accounts`.
  package static func load(
    _ path: String, accounts: Accounts = .system, changedBy user: UInt32? = nil
  ) throws(ConfigurationError) -> DaemonConfiguration {
    try TrustedPath.check(path, changedBy: user)
    return try decode(TextFile.read(path), file: path, accounts: accounts)
  }

  /// Decodes the text of a file, which `file` names in errors.
  package static func decode(_ text: [UInt8], file: String, accounts: Accounts)
    throws(ConfigurationError) -> DaemonConfiguration
  {
    try TOMLDocument.decode(text, file: file) { root throws(ConfigurationError) in
      try DaemonConfiguration(root, accounts)
    }
  }

  private init(_ root: TOMLTable, _ accounts: Accounts) throws(ConfigurationError) {
    self.init()
    stateDirectory = try root.optional("state_directory")?.path() ?? "/var/lib/kist"
    let service = try root.section("service") { table throws(ConfigurationError) in
      try SocketConfiguration(service: table, accounts)
    }
    self.service = service
    admin = try root.section("admin") { table throws(ConfigurationError) in
      try SocketConfiguration(admin: table, accounts, besides: service)
    }
    (policyDirectory, slices) = try root.section("policy") { table throws(ConfigurationError) in
      let slices = try table.list("slices", "slices") { node throws(ConfigurationError) in
        try node.slice()
      }
      return (
        try table.optional("directory")?.path() ?? PolicyDirectory.defaultPath,
        slices.isEmpty ? ["system.slice"] : slices
      )
    }
    audit = try root.section("audit", AuditConfiguration.init)
    backup = try root.section("backup", BackupConfiguration.init)
    destroyedRetention = try root.section("key_store") { table throws(ConfigurationError) in
      try table.optional("destroyed_retention")?.duration(in: .zero...(.seconds(36_600 * 86_400)))
    }
    memory = try root.section("memory", MemoryConfiguration.init)
    limits = try root.section("limits", LimitsConfiguration.init)
    process = try root.section("process") { table throws(ConfigurationError) in
      try ProcessConfiguration(table, accounts)
    }
    (unlock, shareWindow) = try root.section("unlock") { table throws(ConfigurationError) in
      let window =
        try table.optional("share_window")?.duration(in: .seconds(60)...(.seconds(86_400)))
        ?? .seconds(900)
      return (try UnlockCredential.decode(table), window)
    }
    let sandbox = try SandboxConfiguration.decode(root)
    self.sandbox = sandbox
    applePay = try root.section("apple_pay") { table throws(ConfigurationError) in
      try ApplePayConfiguration(table, isSandbox: sandbox != nil)
    }
    fleet = try FleetConfiguration.decode(root, accounts, besides: [service.path, admin.path])
    merchants = try MerchantConfiguration.decode(root, inFleet: fleet != nil)
    provisioning = try root.section("provisioning", ProvisioningConfiguration.init)
    keyExchange = try root.section("key_exchange", KeyExchangeConfiguration.init)
    operators = try root.section("operators") { table throws(ConfigurationError) in
      try OperatorsConfiguration(table, isSandbox: sandbox != nil)
    }
  }
}

extension TOMLNode {
  fileprivate func slice() throws(ConfigurationError) -> String {
    try text("the name of a slice such as \"system.slice\"") {
      $0.hasSuffix(".slice") && !$0.contains("/") ? $0 : nil
    }
  }
}

extension SocketConfiguration {
  /// The mode may let everybody connect, since policy decides who gets an answer.
  init(service table: TOMLTable, _ accounts: Accounts) throws(ConfigurationError) {
    try self.init(table, accounts, path: "/run/kist/kist.sock", mode: 0o660, allowed: 0o666)
  }

  init(admin table: TOMLTable, _ accounts: Accounts, besides service: SocketConfiguration)
    throws(ConfigurationError)
  {
    try self.init(table, accounts, path: "/run/kist/admin.sock", mode: 0o600, allowed: 0o660)
    guard path != service.path else {
      throw (table.optional("socket") ?? table.node).unfit(
        "\"\(path)\"", "another path than that of [service]")
    }
  }

  private init(
    _ table: TOMLTable, _ accounts: Accounts, path: String, mode: UInt32, allowed: UInt32
  ) throws(ConfigurationError) {
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
    guard path.utf8.count <= 107 else {
      throw unfit(
        "\(path.utf8.count) bytes long", "a path of at most 107 bytes, as a socket's must be")
    }
    return path
  }
}

extension AuditConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    directory = try table.optional("directory")?.path() ?? "/var/log/kist/audit"
    genesis = try table.optional("genesis")?.digest()
    lostWith = try table.optional("lost_with")?.digest()
    segmentSize = try table.optional("segment_size")?.size(in: Self.segmentSizes) ?? 64 << 20
    segmentAge = try table.optional("segment_age")?.duration(
      in: .seconds(3600)...(.seconds(366 * 86_400)))
    reserve = try table.optional("reserve")?.size(in: Self.reserves) ?? 4 << 20
    lowSpace = try table.optional("low_space")?.size(in: 1 << 20...1 << 40) ?? 256 << 20
    let expected =
      "a name of this log of its own, such as \"acme.example/kist/prod-1\", of printable ASCII without spaces, '+' or quotes"
    // C2SP signed-note: a key name has no space and no plus sign.
    origin = try table.text("origin", expected) {
      $0.isToken(count: 128, without: "+\"\\") ? $0 : nil
    }
  }
}

extension BackupConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    directory = try table.optional("directory")?.path()
    forgotten = try table.optional("forgotten")?.digest()
    restored = try table.optional("restored")?.digest()
  }
}

extension UnlockCredential {
  static func decode(_ table: TOMLTable) throws(ConfigurationError) -> UnlockCredential? {
    guard let node = table.optional("credential") else { return nil }
    let expected = "an absolute path, or the name of a systemd credential"
    let text = try node.string(expected)
    if text.hasPrefix("/") { return .file(try node.path()) }
    // systemd.exec(5): a credential's name is that of a file.
    return .systemd(
      try node.text(expected) {
        $0.isToken(count: 255, without: "/:") && $0 != "." && $0 != ".." ? $0 : nil
      })
  }
}
