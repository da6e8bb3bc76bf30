// Sandbox: a throw-away directory for the production daemon, with a test Apple PKI and fresh
// tokens.
// Its keys are of a kind that a production daemon refuses.
// The daemon must not link it.
// Called by kist.

import Configuration
package import Crypto
package import Format
import Host
package import KistClient
package import Policy

/// A throw-away directory with everything that a rehearsal daemon needs: configuration, policy, key
/// store and a test Apple PKI.
package struct SandboxDirectory: Sendable {
  /// Absolute, without links.
  package let path: String
  package let configuration: DaemonConfiguration
  /// The fixed time of its clock; nil if the clock runs.
  package let clock: Timestamp?

  /// Makes a sandbox at `path`, or in a new place if none is given.
  ///
  /// - Parameters:
  ///   - clock: pins the daemon's clock.
  ///   - user: the user who may use and operate it.
  ///   - now: the creation time of its keys.
  /// - Throws: `SandboxError.present` if the directory is not empty; `.configuration`, before
  ///   anything is made, for additions that do not fit.
  package static func make(
    _ path: String?, clock: Timestamp? = nil, adding additions: SandboxAdditions = .none,
    user: UInt32, now: Timestamp
  ) throws(SandboxError) -> SandboxDirectory {
    // Whether they fit does not depend on where it will be.
    let settings = SandboxSettings("/sandbox", origin: "kist-sandbox/0", clock: clock)
    let grants = PolicyDirectory.Source(
      file: "10-sandbox.toml", text: Array(SandboxFiles.policy(user: user).utf8))
    if !additions.isEmpty {
      try additions.check(settings, among: [grants], file: configurationName)
    }
    let path = if let path { try SandboxPath.make(path) } else { try SandboxPath.makeTemporary() }
    let maker = try SandboxMaker(path: path, now: clock ?? now)
    try maker.fill(user: user, adding: additions)
    try SandboxMaker.writeConfiguration(
      path, SandboxSettings(path, origin: maker.origin, clock: clock),
      added: additions.configuration)
    return try SandboxDirectory(path)
  }

  /// Opens what `make` made.
  ///
  /// - Throws: `SandboxError.notSandbox` if the configuration is not a sandbox's; `.configuration`
  ///   if it or the policy is wrong.
  package init(_ path: String) throws(SandboxError) {
    self.path = try SandboxPath.resolve(path)
    let file = self.path + "/" + Self.configurationName
    configuration = try onConfiguration(DaemonConfiguration.load(file))
    guard let sandbox = configuration.sandbox else { throw .notSandbox }
    clock = sandbox.clock
    let policy = configuration.policyDirectory
    _ = try onConfiguration(PolicyDirectory.load(policy))
  }

  /// Whether there is a configuration at `path`.
  package static func isPresent(at path: String) throws(SandboxError) -> Bool {
    do throws(DiskError) {
      _ = try File(path + "/" + configurationName, .read, on: LinuxDisk())
      return true
    } catch {
      guard error.isAbsence else { throw .storage(.disk(error)) }
      return false
    }
  }

  /// The same with the clock pinned to another time, or running, and more settings or grants;
  /// rewrites the configuration.
  ///
  /// - Parameter additions: settings take the place of those that were added before, and so do
  ///   grants.
  /// - Throws: `.configuration`, before anything is changed, for additions that do not fit.
  package func changed(clock: Timestamp?, adding additions: SandboxAdditions = .none)
    throws(SandboxError) -> SandboxDirectory
  {
    let settings = SandboxSettings(path, origin: configuration.audit.origin, clock: clock)
    try additions.check(settings, among: try otherGrants(), file: configurationPath)
    let added = if let new = additions.configuration { new } else { try addedBefore() }
    try SandboxMaker.writeConfiguration(path, settings, added: added)
    try additions.writePolicies(to: configuration.policyDirectory, on: LinuxDisk())
    return try SandboxDirectory(path)
  }

  /// The files of the policy that no addition replaces.
  private func otherGrants() throws(SandboxError) -> [PolicyDirectory.Source] {
    let directory = configuration.policyDirectory
    let names = try onDisk(LinuxDisk().list(directory))
    var sources: [PolicyDirectory.Source] = []
    for name in names
    where name.hasSuffix(".toml") && !name.hasPrefix(".") && !SandboxAdditions.isAddedPolicy(name) {
      let file = directory + "/" + name
      sources.append(.init(file: file, text: try onConfiguration(TextFile.read(file))))
    }
    return sources
  }

  private func addedBefore() throws(SandboxError) -> PolicyDirectory.Source? {
    let names = try onDisk(LinuxDisk().list(path))
    guard names.contains(SandboxAdditions.configurationName) else { return nil }
    let file = path + "/" + SandboxAdditions.configurationName
    return try onConfiguration(.init(file: file, text: try TextFile.read(file)))
  }

  package var configurationPath: String { path + "/" + Self.configurationName }
  /// The log's public key in the form of `kist audit verify --key`.
  package var auditKeyPath: String { path + "/" + Self.auditKeyName }

  package func pki() throws(SandboxError) -> TestApplePKI {
    try TestApplePKI(from: path + "/pki", on: LinuxDisk())
  }

  package func certificate(of merchant: TestMerchant) throws(SandboxError) -> Certificate {
    try CertifiedKey.readCertificate(merchant.rawValue, in: path + "/pki", on: LinuxDisk())
  }

  /// A fresh token for one of the merchants' keys.
  package func mint(
    _ payment: TestPayment, for merchant: TestMerchant, signedAt moment: Timestamp,
    defect: TokenDefect? = nil
  ) throws(SandboxError) -> MintedToken {
    let mint = TokenMint(try pki())
    let certificate = try certificate(of: merchant)
    return try onCrypto(mint.mint(payment, for: certificate, signedAt: moment, defect: defect))
  }

  /// What a phone gives an app that adds a card, with a nonce of its own.
  package func passRequest(defect: PassDefect? = nil) throws(SandboxError) -> PassRequestJSON {
    let provisioning = try TestProvisioningPKI(from: path + "/pki", on: LinuxDisk())
    return try onCrypto(provisioning.passRequest(defect: defect))
  }

  /// Opens what the issuer's host answers a phone.
  ///
  /// - Parameters:
  ///   - now: the time, unless the sandbox's clock is pinned.
  ///   - asksNetworks: whether the payment networks check their values.
  package func open(_ pass: SealedPassJSON, now: Timestamp, asksNetworks: Bool = true)
    throws(SandboxError) -> OpenedPass
  {
    let folder = path + "/pki"
    let pki = try TestProvisioningPKI(from: folder, on: LinuxDisk())
    let networks = try TestNetworks(from: folder, on: LinuxDisk())
    return try PassOpener(pki, networks, now: clock ?? now).open(pass, asksNetworks: asksNetworks)
  }

  static let configurationName = "kist.toml"
  static let auditKeyName = "audit.vkey"
}
