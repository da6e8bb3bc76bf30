import Ceremony
import Crypto
import Format
import Foundation
import Host
import KeyStore
import Testing

/// The key store of a false host, and the certificates of its keys.
enum TestStore {
  static let merchant = "merchant.com.acme"
  static let label = "merchant/acme/processing-2026"

  /// The store, open as a daemon would have it, with one key in use.
  static func make(in root: String) throws -> KeyStore {
    let kek = try SecretBuffer(copying: [UInt8](repeating: 3, count: 32).span)
    let locked = try LockedKeyStore.create(
      "keys", in: root + "/var/lib/kist", kek: kek, kind: .production, at: TestLog.day(-10))
    let store = try locked.unlock(kek: kek, expecting: .production)
    let key = try PrivateKey.generate(.p256)
    let record = try store.add(label, key, certificate: certificate(for: key.publicKey))
    store.recordUses(of: [record.id], at: TestLog.day(-1))
    try save(store, in: root)
    return store
  }

  /// Leaves the files as the daemon would.
  static func save(_ store: KeyStore, in root: String) throws {
    try store.checkpointCounters(anchor: .beginning)
    let keys = root + "/var/lib/kist/keys"
    for path in try [keys]
      + FileManager.default.contentsOfDirectory(atPath: keys).map({ keys + "/" + $0 })
    {
      try #require(unsafe lchown(path, FalseHost.kist, FalseHost.kist) == 0)
    }
  }

  /// As Apple would make it: by default of a year from now, for processing.
  static func certificate(
    for key: PublicKey, purpose: String = "Apple Pay Payment Processing:",
    merchant: String = TestStore.merchant, extensionOf: String? = nil,
    from: Timestamp = TestLog.day(-10), until: Timestamp = TestLog.day(365)
  ) throws -> Certificate {
    let builder = CertificateBuilder(
      subject: [.userID(merchant), .commonName(purpose + merchant)], serial: 1, notBefore: from,
      notAfter: until,
      extensions: [.basicConstraints(isCA: false), .merchantIdentifier(extensionOf ?? merchant)])
    return try builder.issue(for: key, by: nil, signedWith: PrivateKey.generate(.p256))
  }

  /// RSA keys take long to make.
  static let rsa = Result { try PrivateKey.generate(.rsa(bits: 2048)) }
}

extension KeyStore {
  @discardableResult func add(
    _ label: String, _ key: PrivateKey, role: KeyRole = .merchantProcessingEC,
    certificate: Certificate? = nil, merchant: String? = nil,
    activates: Bool = true, at now: Timestamp = TestLog.day(-9)
  ) throws -> KeyRecord {
    try importKey(
      KeyImport(
        label: #require(KeyLabel(label)), role: role, material: .privateKey(key),
        certificate: certificate,
        merchant: merchant.flatMap { MerchantIdentifier($0) }, activates: activates),
      at: now, anchor: .beginning)
  }

  /// A key without certificate.
  @discardableResult func addSymmetric(
    _ label: String, _ role: KeyRole = .sealing, until: Timestamp? = nil, useLimit: UInt64? = nil
  ) throws -> KeyRecord {
    let bytes = try SecretBuffer(
      copying: [UInt8](repeating: UInt8(label.utf8.count), count: 32).span)
    return try importKey(
      KeyImport(
        label: #require(KeyLabel(label)), role: role, material: .symmetric(bytes), notAfter: until,
        useLimit: useLimit), at: TestLog.day(-20),
      anchor: .beginning)
  }

  func id(_ label: String) throws -> KeyRecord {
    let label = try #require(KeyLabel(label))
    return try #require(records.first { $0.label == label })
  }
}
