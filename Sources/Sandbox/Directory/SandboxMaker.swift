import Audit
import Ceremony
import Configuration
import Crypto
import Format
import Host
import KeyStore

/// Fills an empty directory.
struct SandboxMaker {
  let path: String
  /// The audit log's name, different for each sandbox.
  let origin: String
  private let now: Timestamp
  private let disk = LinuxDisk()

  init(path: String, now: Timestamp) throws(SandboxError) {
    let suffix = try onCrypto(Random.bytes(8))
    self.path = path
    self.now = now
    origin = "kist-sandbox/" + Hex.encode(suffix)
  }

  /// Writes everything except the configuration; until that is written the directory is no sandbox.
  func fill(user: UInt32, adding additions: SandboxAdditions) throws(SandboxError) {
    for name in ["audit", "backups", "pki", "policy.d", "run", "state"] {
      try onDisk(DurableFile.makeDirectory(name, in: path, on: disk))
    }
    try SandboxPath.letOthersPass(path + "/run")
    try writePolicy(user: user)
    try additions.writePolicies(to: path + "/policy.d", on: disk)
    let store = try makeStore()
    let pki = try onCrypto(TestApplePKI.make())
    try pki.write(to: path + "/pki", on: disk)
    for merchant in TestMerchant.allCases { try add(merchant, to: store, under: pki) }
    try addIssuer(to: store, under: pki)
    try Self.write(
      SandboxDirectory.auditKeyName, in: path, Array((try auditKey(of: store) + "\n").utf8))
  }

  /// - Parameter added: settings that go among the sandbox's own, which are kept beside them.
  static func writeConfiguration(
    _ path: String, _ settings: SandboxSettings, added: PolicyDirectory.Source?
  ) throws(SandboxError) {
    let merged = try onConfiguration(MergedConfiguration(settings, with: added))
    if let added { try write(SandboxAdditions.configurationName, in: path, added.text) }
    try write(SandboxDirectory.configurationName, in: path, Array(merged.text.utf8))
  }
}

extension SandboxMaker {
  /// Checks the policy at once, since no grant can name some users.
  private func writePolicy(user: UInt32) throws(SandboxError) {
    try Self.write(
      "10-sandbox.toml", in: path + "/policy.d", Array(SandboxFiles.policy(user: user).utf8))
    _ = try onConfiguration(PolicyDirectory.load(path + "/policy.d"))
  }

  /// A rehearsal store, unlocked by the credential file beside it.
  private func makeStore() throws(SandboxError) -> KeyStore {
    let kek = try onCrypto(KeyEncryptionKey.generate())
    try onDisk(DurableFile.replace("kek", in: path, with: kek.bytes, mode: 0o600, on: disk))
    let locked = try onStore(
      LockedKeyStore.create("keys", in: path + "/state", kek: kek, kind: .rehearsal, at: now))
    return try onStore(locked.unlock(kek: kek, expecting: .rehearsal))
  }

  private func add(_ merchant: TestMerchant, to store: KeyStore, under pki: TestApplePKI)
    throws(SandboxError)
  {
    let certified = try onCrypto(pki.certify(merchant))
    try certified.write(merchant.rawValue, in: path + "/pki", on: disk)
    guard let label = KeyLabel(merchant.label) else { throw .keyStore(.unknownKey) }
    _ = try onStore(
      store.importKey(
        KeyImport(
          label: label, role: merchant.role, material: .privateKey(certified.key),
          certificate: certified.certificate),
        at: now, anchor: .beginning))
  }

  /// Keys of an issuer, what the payment networks have of them, and Apple's side of passes.
  private func addIssuer(to store: KeyStore, under pki: TestApplePKI) throws(SandboxError) {
    let provisioning = try onCrypto(TestProvisioningPKI.make(under: pki.root))
    try provisioning.write(to: path + "/pki", on: disk)
    let networks = try onCrypto(TestNetworks.make(under: pki.root))
    try networks.write(to: path + "/pki", on: disk)
    for key in TestIssuer.allCases {
      guard let label = KeyLabel(key.label) else { throw .keyStore(.unknownKey) }
      let material = try onCrypto(networks.material(of: key))
      do throws(KeyStoreError) {
        _ = try store.importKey(
          KeyImport(label: label, role: key.role, material: material, otp: key.otp), at: now,
          anchor: .beginning)
      } catch { throw .keyStore(error) }
    }
  }

  /// The verifier key of the log's checkpoints.
  private func auditKey(of store: KeyStore) throws(SandboxError) -> String {
    guard let key = store.auditSigning.privateKey else { throw .keyStore(.auditKeys) }
    do throws(NoteError) { return try NoteVerifier(name: origin, key: key.publicKey).vkey } catch {
      throw .keyStore(.auditKeys)
    }
  }

  private static func write(_ name: String, in directory: String, _ text: [UInt8])
    throws(SandboxError)
  {
    try onDisk(
      DurableFile.replace(name, in: directory, with: text.span, mode: 0o644, on: LinuxDisk()))
  }
}

/// The text of a sandbox's policy.
enum SandboxFiles {
  /// - Parameter user: the user who may use and operate the sandbox.
  static func policy(user: UInt32) -> String {
    """
    # Who may do what in this sandbox; kist.toml(5), POLICY.

    [[grant]]
    id = "shop"
    users = [\(user)]
    operations = ["open-payment-token", "verify-payment-token", "describe-key", "describe", "random", "who"]
    keys = ["merchant/sandbox/*"]
    release = ["dpan", "last4", "bin", "network", "expiry", "currency", "amount", "cryptogram", "eci", "payment-data-type"]

    [[grant]]
    id = "auditor"
    users = [\(user)]
    operations = ["audit-digest", "review-log", "record-drill"]
    rate = "10/m"

    [[grant]]
    id = "issuer"
    users = [\(user)]
    operations = ["provision-pass", "provision-trace", "sign-otp", "seal", "describe-key"]
    keys = [\(TestIssuer.allCases.map { "\"\($0.label)\"" }.joined(separator: ", "))]
    release = ["dpan"]
    stages = true
    rate = "100/s"

    [[grant]]
    id = "operator"
    users = [\(user)]
    operations = [
      "status", "metrics", "unlock", "lock", "submit-share", "share-progress", "generate-key", "import-key", "import-block", "list-keys", "describe-key",
      "certificate-request", "attach-certificate", "activate-key", "suspend-key", "resume-key", "retire-key", "compromise-key", "destroy-key", "export-key",
      "back-up", "approve", "list-requests", "swap-policy", "reset-otp-lockout",
    ]
    keys = ["*"]
    stages = true

    """
  }
}
