internal import Audit
internal import Configuration
internal import CryptoBackend
internal import Encoding
internal import KeyStore
internal import SecretMemory
internal import Storage

/// Fills an empty directory.
struct SandboxMaker {
  let path: String
  /// The audit log's name, different for each sandbox.
  let origin: String
  private let now: Timestamp
  private let disk = LinuxDisk()

  init(path: String, now: Timestamp) throws(SandboxError) {
    let suffix = try SandboxError.crypto { () throws(CryptoError) in try Random.bytes(8) }
    (self.path, self.now, origin) = (path, now, "kist-sandbox/" + Hex.encode(suffix))
  }

  /// Writes everything except the configuration; until that is written the directory is no sandbox.
  func fill(user: UInt32) throws(SandboxError) {
    try SandboxError.disk { () throws(DiskError) in
      for name in ["audit", "pki", "policy.d", "run", "state"] { try DurableFile.makeDirectory(name, in: path, on: disk) }
    }
    try SandboxPath.letOthersPass(path + "/run")
    try writePolicy(user: user)
    let store = try makeStore()
    let pki = try SandboxError.crypto { () throws(CryptoError) in try TestApplePKI.make() }
    try pki.write(to: path + "/pki", on: disk)
    for merchant in TestMerchant.allCases { try add(merchant, to: store, under: pki) }
    try Self.write(SandboxDirectory.auditKeyName, in: path, try auditKey(of: store) + "\n")
  }

  static func writeConfiguration(_ path: String, origin: String, clock: Timestamp?) throws(SandboxError) {
    let text = SandboxFiles.configuration(path, origin: origin, clock: clock)
    try write(SandboxDirectory.configurationName, in: path, text)
  }
}

extension SandboxMaker {
  /// Checks the policy at once, since no grant can name some users.
  private func writePolicy(user: UInt32) throws(SandboxError) {
    try Self.write("10-sandbox.toml", in: path + "/policy.d", SandboxFiles.policy(user: user))
    _ = try SandboxError.configuration { () throws(ConfigurationError) in try PolicyDirectory.load(path + "/policy.d") }
  }

  /// A rehearsal store, unlocked by the credential file beside it.
  private func makeStore() throws(SandboxError) -> KeyStore {
    let kek = try SandboxError.crypto { () throws(CryptoError) in try KeyEncryptionKey.generate() }
    try SandboxError.disk { () throws(DiskError) in
      try DurableFile.replace("kek", in: path, with: kek.bytes, mode: 0o600, on: disk)
    }
    return try SandboxError.keyStore { () throws(KeyStoreError) in
      let locked = try LockedKeyStore.create("keys", in: path + "/state", kek: kek, kind: .rehearsal, at: now)
      return try locked.unlock(kek: kek, expecting: .rehearsal)
    }
  }

  private func add(_ merchant: TestMerchant, to store: KeyStore, under pki: TestApplePKI) throws(SandboxError) {
    let certified = try SandboxError.crypto { () throws(CryptoError) in try pki.certify(merchant) }
    try certified.write(merchant.rawValue, in: path + "/pki", on: disk)
    guard let label = KeyLabel(merchant.label) else { throw .keyStore(.unknownKey) }
    _ = try SandboxError.keyStore { () throws(KeyStoreError) in
      try store.importKey(
        KeyImport(label: label, role: merchant.role, material: .privateKey(certified.key), certificate: certified.certificate),
        at: now, anchor: .beginning)
    }
  }

  /// The verifier key of the log's checkpoints.
  private func auditKey(of store: KeyStore) throws(SandboxError) -> String {
    guard let key = store.auditSigning.privateKey else { throw .keyStore(.auditKeys) }
    do throws(NoteError) { return try NoteVerifier(name: origin, key: key.publicKey).vkey } catch { throw .keyStore(.auditKeys) }
  }

  private static func write(_ name: String, in directory: String, _ text: String) throws(SandboxError) {
    let bytes = Array(text.utf8)
    try SandboxError.disk { () throws(DiskError) in
      try DurableFile.replace(name, in: directory, with: bytes.span, mode: 0o644, on: LinuxDisk())
    }
  }
}
