import Crypto
import Format
import Host
import TestSupport
import Testing

@testable import KeyStore

@Suite struct ImportTests {
  let scene: Scene
  let store: KeyStore

  init() throws {
    scene = try Scene()
    try scene.create()
    store = try scene.unlock()
  }

  private func refused(_ request: consuming KeyImport) throws -> KeyStoreError? {
    let before = scene.file("manifest.json")
    defer { #expect(scene.file("manifest.json") == before) }
    do throws(KeyStoreError) {
      _ = try store.importKey(request, at: Scene.now, anchor: Scene.anchor(1))
      return nil
    } catch { return error }
  }

  /// [KS-ID]
  @Test func aCertifiedKey() throws {
    let record = try store.importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1))
    let certificate = try Fixture.certificate(Fixture.certificate)
    #expect(record.id.bytes == Array(SHA256.hash(certificate.spki).bytes.prefix(16)))
    #expect(record.check == .spki(certificate.spki))
    #expect(record.check.spkiHash == SHA256.hash(certificate.spki))
    #expect((record.usage, record.algorithm.name, record.state) == ("K3 E X", "P-256", .active))
    #expect(
      (record.created, record.activated, record.notAfter) == (
        Scene.now, Scene.now, certificate.notAfter
      ))
    #expect(record.merchant?.text == Fixture.merchant)
    #expect(record.merchant?.hash == SHA256.hash(Array(Fixture.merchant.utf8)))
    #expect(scene.file(Scene.certificateName(record)) == certificate.der)
    #expect(store.record(for: record.id) == record)
  }

  @Test func aKeyWithoutCertificateWhoseMerchantIsGiven() throws {
    let record = try store.importKey(
      .ec(certificate: nil, merchant: Fixture.merchant), at: Scene.now, anchor: Scene.anchor(1))
    #expect(record.merchant?.text == Fixture.merchant)
    #expect(record.certificate == nil)
    #expect(record.notAfter == nil)
    #expect(try scene.reopened().record(for: record.id) == record)
  }

  @Test func aKeyThatWaits() throws {
    let record = try store.importKey(.ec(activates: false), at: Scene.now, anchor: Scene.anchor(1))
    #expect((record.state, record.activated) == (.preActive, nil))
  }

  @Test(arguments: [KeyRole.merchantProcessingRSA, .merchantIdentityRSA]) func anRSAKey(
    _ role: KeyRole
  ) throws {
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    let merchant = MerchantIdentifier(Fixture.merchant)
    let request = KeyImport(
      label: try #require(KeyLabel("merchant/acme/rsa")), role: role, material: .privateKey(key),
      merchant: merchant, freshnessWindow: 120)
    let record = try store.importKey(request, at: Scene.now, anchor: Scene.anchor(1))
    #expect(
      (record.algorithm.name, record.usage) == (
        "RSA-2048", role == .merchantProcessingRSA ? "D1 R D" : "S0 R S"
      ))
    #expect(record.freshnessWindow == 120)
    #expect(try scene.reopened().record(for: record.id) == record)
  }

  @Test func severalKeysOfOneMerchant() throws {
    for year in 2024...2027 {
      let key = try PrivateKey.generate(.p256)
      _ = try store.importKey(
        .ec(
          "merchant/acme/processing-\(year)", key: key, certificate: nil, merchant: Fixture.merchant
        ), at: Scene.now, anchor: Scene.anchor(1))
    }
    let found = try scene.reopened().records.filter { $0.merchant?.text == Fixture.merchant }
    #expect(found.map(\.state) == Array(repeating: .active, count: 4))
  }

  private func check(_ der: [UInt8], _ role: KeyRole) -> Result<KeyCheck, CryptoError> {
    do throws(CryptoError) {
      let material = try KeyMaterial(keyData: der.span, for: role)
      guard let algorithm = material.algorithm(in: role) else { throw .invalidKey }
      return .success(try material.check(algorithm))
    } catch { return .failure(error) }
  }

  @Test func privateKeysComeAsTheirRolesDER() throws {
    let ec = try plain(Fixture.ecKey().serialised())
    let rsa = try plain(PrivateKey.generate(.rsa(bits: 2048)).serialised())
    #expect(check(ec, .merchantProcessingEC) == .success(.spki(try Fixture.ecKey().spki)))
    for role in [KeyRole.merchantProcessingRSA, .merchantIdentityRSA, .auditDigest] {
      #expect(check(ec, role) == .failure(.invalidKey))
    }
    for role in [KeyRole.merchantProcessingEC, .auditDigest] {
      #expect(check(rsa, role) == .failure(.invalidKey))
    }
    #expect(check(ec.dropLast(), .merchantProcessingEC) == .failure(.invalidKey))
    #expect(check([], .merchantProcessingEC) == .failure(.invalidKey))
  }

  /// [KS-IMPORT-CERTIFICATE] [KS-IMPORT-MERCHANT]
  @Test func certificatesThatDoNotFitAreRefused() throws {
    #expect(
      try refused(.ec(certificate: Fixture.certificateOfAnotherKey))
        == .importRefused(.certificateKey))
    #expect(
      try refused(.ec(certificate: Fixture.certificateWithoutExtension))
        == .importRefused(.merchantExtension))
    #expect(
      try refused(.ec(certificate: Fixture.certificateWithoutUID))
        == .importRefused(.merchantExtension))
    #expect(
      try refused(.ec(certificate: Fixture.certificateOfTwoMerchants))
        == .importRefused(.merchantExtension))
    #expect(
      try refused(.ec(merchant: "merchant.com.example.other")) == .importRefused(.merchantMismatch))
    #expect(try refused(.ec(certificate: nil)) == .importRefused(.merchantMissing))
  }

  /// [KS-IMPORT-LABEL] [KS-IMPORT-ID]
  @Test func labelsAndKeysAreTakenOnce() throws {
    let record = try store.importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1))
    #expect(try refused(.ec("merchant/acme/again")) == .importRefused(.keyPresent))
    let other = try PrivateKey.generate(.p256)
    #expect(
      try refused(.ec(key: other, certificate: nil, merchant: Fixture.merchant))
        == .importRefused(.labelTaken))
    #expect(
      try refused(.ec("audit/signing", key: other, certificate: nil, merchant: Fixture.merchant))
        == .importRefused(.labelTaken))
    // A destroyed key's record still has both.
    try store.setState(.retired, of: record.id, at: Scene.later, anchor: Scene.anchor(2))
    try store.setState(.destroyed, of: record.id, at: Scene.later, anchor: Scene.anchor(3))
    #expect(try refused(.ec("merchant/acme/again")) == .importRefused(.keyPresent))
    #expect(
      try refused(.ec(key: other, certificate: nil, merchant: Fixture.merchant))
        == .importRefused(.labelTaken))
  }

  /// [KS-IMPORT-ALGORITHM]
  @Test func aRoleTakesOnlyItsAlgorithm() throws {
    let kinds: [(KeyRole, KeyKind)] = [
      (.merchantProcessingEC, .p384), (.merchantProcessingEC, .ed25519),
      (.merchantProcessingEC, .rsa(bits: 2048)),
      (.merchantProcessingRSA, .p256), (.merchantIdentityRSA, .p256),
    ]
    let label = try #require(KeyLabel("merchant/acme/x"))
    for (role, kind) in kinds {
      let key = try PrivateKey.generate(kind)
      let merchant = MerchantIdentifier(Fixture.merchant)
      #expect(
        try refused(
          KeyImport(label: label, role: role, material: .privateKey(key), merchant: merchant))
          == .importRefused(.algorithm))
    }
    let secret = try Random.secret(count: 32)
    #expect(
      try refused(
        KeyImport(label: label, role: .merchantProcessingEC, material: .symmetric(secret)))
        == .importRefused(.algorithm))
  }

  /// [KS-IMPORT-ROLE]
  @Test func auditKeysAreMadeAndNotImported() throws {
    let label = try #require(KeyLabel("audit/other"))
    let key = try PrivateKey.generate(.ed25519)
    #expect(
      try refused(KeyImport(label: label, role: .auditSigning, material: .privateKey(key)))
        == .importRefused(.role))
    let secret = try Random.secret(count: 32)
    #expect(
      try refused(KeyImport(label: label, role: .auditDigest, material: .symmetric(secret)))
        == .importRefused(.role))
  }

  /// [KS-IMPORT-WINDOW]
  @Test(arguments: [Int.min, -1, 0, 86_401]) func aFreshnessWindowIsOneSecondToADay(_ seconds: Int)
    throws
  {
    let label = try #require(KeyLabel("merchant/acme/x"))
    let key = try Fixture.ecKey()
    let request = KeyImport(
      label: label, role: .merchantProcessingEC, material: .privateKey(key),
      merchant: MerchantIdentifier(Fixture.merchant), freshnessWindow: seconds)
    #expect(try refused(request) == .importRefused(.freshnessWindow))
  }

  @Test func aFailingDiskLeavesTheStoreAsItWas() throws {
    let records = store.records
    scene.disk.fail(call: scene.disk.changingCalls, .notDone, errno: 28)
    #expect(try refused(.ec()) == .storage(.disk(DiskError(.open, errno: 28))))
    #expect(store.records == records)
  }
}

@Suite struct KeyLabelTests {
  /// [KS-LABEL]
  @Test(arguments: [
    "a", "audit/signing", "merchant/acme/processing-2026", "0", "a-b/c.d", "a/.b", "a/...",
    String(repeating: "x", count: 128),
  ])
  func accepted(_ text: String) { #expect(KeyLabel(text)?.text == text) }

  @Test(arguments: [
    "", "/", "a/", "/a", "a//b", "A", "a/B", "a b", "a_b", "a.b", ".", "a/.", "a/../b", "ä",
    "a\u{0}", "a\n", "a*", "a/*", "a@b",
    String(repeating: "x", count: 129),
  ])
  func refused(_ text: String) { #expect(KeyLabel(text) == nil) }

  @Test(arguments: [
    "", " ", "merchant com", "merch\u{E4}nt", "a\u{7F}", String(repeating: "m", count: 256),
  ])
  func refusedMerchants(_ text: String) { #expect(MerchantIdentifier(text) == nil) }
}
