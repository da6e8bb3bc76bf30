package import Crypto
package import Host

/// The keys that are derived from a KEK: HKDF-SHA256, no salt, 32 bytes each. [KS-DERIVE]
package struct StoreKeys: ~Copyable, Sendable {
  /// Key block protection key.
  let kbpk: SecretBuffer
  /// For the HMAC over the manifest.
  let manifest: SecretBuffer
  /// For the MACs in ledgers of one-time codes.
  let ledgers: SecretBuffer
  /// For the tags of subjects in these ledgers: the value of `ledgers` under the store's first KEK.
  let tags: SecretBuffer
  /// For the HMAC over counter files.
  let counters: SecretBuffer
  /// For the HMAC over the daemon's recollection file.
  let recollection: SecretBuffer

  /// - Throws: `CryptoError.authenticationFailed` if `resealing` belongs to another KEK.
  package init(kek: Span<UInt8>, _ resealing: Resealing? = nil) throws(CryptoError) {
    let kbpk = try Self.kbpk(kek)
    let manifest = try Self.derive(kek, "kist/manifest/v1")
    let ledgers = try Self.derive(kek, "kist/otp-ledger/v1")
    let counters = try Self.derive(kek, "kist/counters/v1")
    let recollection = try Self.derive(kek, "kist/recollection/v1")
    let tags = try Self.tags(kek, resealing, kbpk)
    self.tags = tags
    self.kbpk = kbpk
    self.counters = counters
    self.recollection = recollection
    self.manifest = manifest
    self.ledgers = ledgers
  }

  borrowing func authenticate(_ file: ManifestFile) throws(CryptoError) -> Bool {
    try file.isAuthentic(key: manifest.bytes)
  }

  borrowing func authenticator(ofRecollection bytes: Span<UInt8>) throws(CryptoError) -> Digest256 {
    try HMACSHA256.authenticate(key: recollection.bytes, bytes)
  }

  private static func tags(
    _ kek: Span<UInt8>, _ resealing: Resealing?, _ kbpk: borrowing SecretBuffer
  ) throws(CryptoError) -> SecretBuffer {
    guard let resealing else { return try derive(kek, "kist/otp-ledger/v1") }
    return try resealing.tagKey(kbpk: kbpk.bytes)
  }

  static func kbpk(_ kek: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    try derive(kek, "kist/kbpk/v1")
  }

  static func derive(_ kek: Span<UInt8>, _ info: String) throws(CryptoError) -> SecretBuffer {
    let noSalt: [UInt8] = []
    return try HKDFSHA256.derive(
      secret: kek, salt: noSalt.span, info: Array(info.utf8).span, count: 32)
  }
}

/// The KEK: 32 bytes from which all keys of a store are derived; used to unlock and then wiped.
package enum KeyEncryptionKey {
  package static let byteCount = 32

  /// Reads a credential file, which must hold exactly the 32 raw bytes. [KS-UNLOCK-CREDENTIAL]
  package static func read(credential path: String, on disk: any Disk = LinuxDisk())
    throws(KeyStoreError) -> SecretBuffer
  {
    let key: SecretBuffer
    do throws(StorageError) {
      key = try DurableFile.readSecret(path, limit: byteCount, on: disk)
    } catch {
      throw error == .tooLarge ? .credential : .storage(error)
    }
    guard key.count == byteCount else { throw .credential }
    return key
  }
}
