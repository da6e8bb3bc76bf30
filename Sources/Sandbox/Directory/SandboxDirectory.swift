// Sandbox: a throw-away directory for the production daemon, with a test Apple PKI and fresh tokens.
// Its keys are of a kind that a production daemon refuses.
// The daemon must not link it.

package import Configuration
package import CryptoBackend
package import Encoding
internal import Storage

/// A throw-away directory with everything that a rehearsal daemon needs: configuration, policy, key store and a test Apple PKI.
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
  /// - Throws: `SandboxError.present` if the directory is not empty.
  package static func make(_ path: String?, clock: Timestamp? = nil, user: UInt32, now: Timestamp) throws(SandboxError) -> SandboxDirectory {
    let path = if let path { try SandboxPath.make(path) } else { try SandboxPath.makeTemporary() }
    let maker = try SandboxMaker(path: path, now: clock ?? now)
    try maker.fill(user: user)
    try SandboxMaker.writeConfiguration(path, origin: maker.origin, clock: clock)
    return try SandboxDirectory(path)
  }

  /// Opens what `make` made.
  ///
  /// - Throws: `SandboxError.notSandbox` if the configuration is not a sandbox's; `.configuration` if it or the policy is wrong.
  package init(_ path: String) throws(SandboxError) {
    self.path = try SandboxPath.resolve(path)
    let file = self.path + "/" + Self.configurationName
    configuration = try SandboxError.configuration { () throws(ConfigurationError) in try DaemonConfiguration.load(file) }
    guard let sandbox = configuration.sandbox else { throw .notSandbox }
    clock = sandbox.clock
    let policy = configuration.policyDirectory
    _ = try SandboxError.configuration { () throws(ConfigurationError) in try PolicyDirectory.load(policy) }
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

  /// The same with the clock pinned to another time, or running; rewrites the configuration.
  package func pinned(at clock: Timestamp?) throws(SandboxError) -> SandboxDirectory {
    try SandboxMaker.writeConfiguration(path, origin: configuration.audit.origin, clock: clock)
    return try SandboxDirectory(path)
  }

  package var configurationPath: String { path + "/" + Self.configurationName }
  /// The log's public key in the form of `kist audit verify --key`.
  package var auditKeyPath: String { path + "/" + Self.auditKeyName }

  package func pki() throws(SandboxError) -> TestApplePKI { try TestApplePKI(from: path + "/pki", on: LinuxDisk()) }

  package func certificate(of merchant: TestMerchant) throws(SandboxError) -> Certificate {
    try CertifiedKey.readCertificate(merchant.rawValue, in: path + "/pki", on: LinuxDisk())
  }

  /// A fresh token for one of the merchants' keys.
  package func mint(
    _ payment: TestPayment, for merchant: TestMerchant, signedAt moment: Timestamp, defect: TokenDefect? = nil
  ) throws(SandboxError) -> MintedToken {
    let (mint, certificate) = (TokenMint(try pki()), try certificate(of: merchant))
    return try SandboxError.crypto { () throws(CryptoError) in
      try mint.mint(payment, for: certificate, signedAt: moment, defect: defect)
    }
  }

  static let configurationName = "kist.toml"
  static let auditKeyName = "audit.vkey"
}
