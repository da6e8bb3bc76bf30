// Configuration: kist.toml and policy.d, read strictly, with the place of every mistake.
// It knows TOML, the names of users and groups, and whose files can be trusted.
// It must not know keys, requests or how the daemon acts on a setting.

/// The contents of `kist.toml`: one value per section, with defaults filled in and everything checked.
package struct DaemonConfiguration: Sendable {
  /// The file as it was read, for its hash.
  package let text: [UInt8]
  /// Holds `keys/` and the replay guard's counters.
  package let stateDirectory: String
  package let service: SocketConfiguration
  package let admin: SocketConfiguration
  /// Holds `*.toml` files of grants.
  package let policyDirectory: String
  /// The slices below which a service or scope counts as a caller's unit.
  package let slices: Set<String>
  package let audit: AuditConfiguration
  package let backup: BackupConfiguration
  /// For how long destroyed keys stay listed; nil for ever.
  package let destroyedRetention: Duration?
  package let memory: MemoryConfiguration
  package let limits: LimitsConfiguration
  package let process: ProcessConfiguration
  /// The credential that unlocks the key store at start; nil if an operator does it.
  package let unlock: UnlockCredential?
  /// How long custodians have from the first share to the last; a user who fails too often is locked out for as long.
  package let shareWindow: Duration
  package let applePay: ApplePayConfiguration
  package let merchants: [MerchantConfiguration]
  package let provisioning: ProvisioningConfiguration
  package let keyExchange: KeyExchangeConfiguration
  package let operators: OperatorsConfiguration
  /// Nil if this host shares no merchant with others.
  package let fleet: FleetConfiguration?
  /// Present only in a sandbox.
  package let sandbox: SandboxConfiguration?

  package static let defaultPath = "/etc/kist/kist.toml"

  /// Reads and checks a file that only root, this process' user and `user` can change; names are looked up in `accounts`.
  package static func load(_ path: String, accounts: Accounts = .system, changedBy user: UInt32? = nil) throws(ConfigurationError) -> DaemonConfiguration {
    try TrustedPath.check(path, changedBy: user)
    return try decode(TextFile.read(path), file: path, accounts: accounts)
  }

  /// Decodes the text of a file, which `file` names in errors.
  package static func decode(_ text: [UInt8], file: String, accounts: Accounts) throws(ConfigurationError) -> DaemonConfiguration {
    try TOMLDocument.decode(text, file: file) { root throws(ConfigurationError) in try DaemonConfiguration(root, text, accounts) }
  }

  private init(_ root: TOMLTable, _ text: [UInt8], _ accounts: Accounts) throws(ConfigurationError) {
    self.text = text
    stateDirectory = try root.optional("state_directory")?.path() ?? "/var/lib/kist"
    let service = try root.section("service") { table throws(ConfigurationError) in
      try SocketConfiguration(service: table, accounts)
    }
    self.service = service
    admin = try root.section("admin") { table throws(ConfigurationError) in
      try SocketConfiguration(admin: table, accounts, besides: service)
    }
    (policyDirectory, slices) = try root.section("policy") { table throws(ConfigurationError) in
      let slices = try table.list("slices", "slices") { node throws(ConfigurationError) in try node.slice() }
      return (try table.optional("directory")?.path() ?? PolicyDirectory.defaultPath, Set(slices.isEmpty ? ["system.slice"] : slices))
    }
    audit = try root.section("audit", AuditConfiguration.init)
    backup = try root.section("backup", BackupConfiguration.init)
    destroyedRetention = try root.section("key_store") { table throws(ConfigurationError) in
      try table.optional("destroyed_retention")?.duration(in: .zero...(.seconds(36_600 * 86_400)))
    }
    memory = try root.section("memory", MemoryConfiguration.init)
    limits = try root.section("limits", LimitsConfiguration.init)
    process = try root.section("process") { table throws(ConfigurationError) in try ProcessConfiguration(table, accounts) }
    (unlock, shareWindow) = try root.section("unlock") { table throws(ConfigurationError) in
      let window = try table.optional("share_window")?.duration(in: .seconds(60)...(.seconds(86_400))) ?? .seconds(900)
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
    try text("the name of a slice such as \"system.slice\"") { $0.hasSuffix(".slice") && !$0.contains("/") ? $0 : nil }
  }
}
