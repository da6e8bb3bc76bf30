import Ceremony
import Crypto
import Format
import Host
import TestSupport
import Testing

@testable import KeyStore

@Suite struct UnlockTests {
  let scene: Scene
  init() throws { scene = try Scene() }

  /// [KS-AUDIT-KEYS] [KS-HEADER]
  @Test func aNewStoreHasItsAuditKeysAndNothingElse() throws {
    try scene.create()
    let store = try scene.unlock()
    #expect(store.records.map(\.label.text) == ["audit/digest", "audit/signing"])
    #expect(store.records.map(\.usage) == ["M7 H G", "S0 E S"])
    #expect(store.records.map(\.algorithm.name) == ["HMAC-SHA-256", "Ed25519"])
    #expect(
      (store.generation, store.kind, store.anchor, store.strays) == (1, .production, .beginning, [])
    )
    let signature = try #require(try store.auditSigning.privateKey?.sign([1, 2, 3].span))
    let message: [UInt8] = [1, 2, 3]
    #expect(
      store.auditSigning.privateKey?.publicKey.verify(
        signature: signature.span, message: message.span) == true)
    #expect(store.auditDigest.withSymmetricKey { $0.count } == 32)
    #expect(store.auditSigning.withSymmetricKey { $0.count } == nil)
  }

  /// [KS-MANIFEST-KEY] [KS-BLOCK-DATA]
  @Test func keysAndRecordsSurviveLockingAndReopening() throws {
    try scene.create()
    let record = try scene.unlock().importKey(.ec(), at: Scene.now, anchor: Scene.anchor(7))
    let store = try scene.unlock()
    #expect(store.record(for: record.id) == record)
    #expect(store.records.first { $0.label == record.label } == record)
    #expect(store.anchor == Scene.anchor(7))
    #expect(store.generation == 2)
    #expect(
      store.certificate(of: record.id)?.der == (try Fixture.certificate(Fixture.certificate).der))
    let again = try store.locked().unlock(kek: Scene.kek(), expecting: .production)
    #expect(again.records == store.records)
  }

  /// [KS-UNLOCK-KCV]
  @Test func aWrongKEKIsRefused() throws {
    try scene.create()
    for first in [1, 2, 128, 255] as [UInt8] {
      #expect(throws: KeyStoreError.wrongKEK) { try scene.unlock(kek: Scene.kek(first)) }
    }
    for count in [0, 16, 31, 33] {
      let kek = try SecretBuffer(count: count)
      #expect(throws: KeyStoreError.wrongKEK) { try scene.unlock(kek: kek) }
    }
  }

  /// [KS-KIND]
  @Test(arguments: [(StoreKind.rehearsal, StoreKind.production), (.production, .rehearsal)])
  func aStoreOfTheOtherKindIsRefused(_ made: StoreKind, _ wanted: StoreKind) throws {
    try scene.create(made)
    #expect(throws: KeyStoreError.wrongKind(made)) { try scene.unlock(kek: Scene.kek(), wanted) }
    #expect(try scene.unlock(kek: Scene.kek(), made).kind == made)
  }

  /// Which would be the way to pass rehearsal keys off as real ones.
  @Test func theKindCannotBeRewritten() throws {
    try scene.create(.rehearsal)
    let text = String(decoding: try #require(scene.file("manifest.json")), as: UTF8.self)
    scene.disk.plant(
      Scene.path + "/manifest.json",
      Array(text.replacing("\"rehearsal\"", with: "\"production\"").utf8))
    #expect(throws: KeyStoreError.manifestAuthentication) { try scene.unlock() }
  }

  @Test(arguments: [0, 16, 31, 33]) func aStoreIsNotMadeWithAnotherKEKSize(_ count: Int) throws {
    let kek = try SecretBuffer(count: count)
    #expect(throws: KeyStoreError.credential) {
      try LockedKeyStore.create(
        "keys", in: "/state", kek: kek, kind: .production, at: Scene.now, on: scene.disk)
    }
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open(Scene.path, on: scene.disk) }
  }

  @Test func whereThereIsNoStoreNoneOpens() throws {
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open("/nowhere", on: scene.disk) }
    try scene.create()
    scene.disk.unplant(Scene.path + "/manifest.json")
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open(Scene.path, on: scene.disk) }
  }

  @Test func aStoreIsNotMadeOverAnother() throws {
    try scene.create()
    #expect(throws: KeyStoreError.present) { try scene.create() }
    _ = try scene.unlock()
  }

  /// [KS-LOCK] On the real file system, whose lock it is.
  @Test func twoCannotHaveTheStoreOpen() throws {
    try withTemporaryDirectory { parent in
      let path = parent + "/keys"
      do {
        let locked = try LockedKeyStore.create(
          "keys", in: parent, kek: Scene.kek(), kind: .production, at: Scene.now)
        #expect(throws: KeyStoreError.inUse) { try LockedKeyStore.open(path) }
        let store = try locked.unlock(kek: Scene.kek(), expecting: .production)
        #expect(throws: KeyStoreError.inUse) { try LockedKeyStore.open(path) }
        withExtendedLifetime((locked, store)) {}
      }
      let again = try LockedKeyStore.open(path).unlock(kek: Scene.kek(), expecting: .production)
      #expect(again.records.count == 2)
    }
  }

  /// [KS-FILES] [KS-STRAYS]
  @Test func whatTheManifestDoesNotNameIsReportedAndLeftAloneUnlessACrashLeftIt() throws {
    try scene.create()
    scene.disk.plant(Scene.path + "/00112233445566778899aabbccddeeff.kb", Array("D0".utf8))
    scene.disk.plant(Scene.path + "/.manifest.json.tmp", Array("{".utf8))
    #expect(try scene.unlock().strays == ["00112233445566778899aabbccddeeff.kb"])
    #expect(scene.disk.contents(Scene.path + "/.manifest.json.tmp") == nil)
    #expect(
      scene.disk.contents(Scene.path + "/00112233445566778899aabbccddeeff.kb") == Array("D0".utf8))
  }
}

@Suite struct TamperingTests {
  let scene: Scene
  let record: KeyRecord

  init() throws {
    scene = try Scene()
    try scene.create()
    record = try scene.unlock().importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1))
  }

  private func tampered(_ name: String, _ bytes: [UInt8]?) throws -> KeyStoreError? {
    let copy = try Scene(scene.disk.afterCrash(.keepsUnsynced))
    if let bytes {
      copy.disk.plant(Scene.path + "/" + name, bytes)
    } else {
      copy.disk.unplant(Scene.path + "/" + name)
    }
    let kek = try Scene.kek()
    return refusal { () throws(KeyStoreError) in try copy.unlock(kek: kek) }
  }

  /// [KS-MANIFEST] [KS-MANIFEST-FORM] [KS-MANIFEST-MAC]
  @Test func noByteOfTheManifestCanBeChanged() throws {
    let manifest = try #require(scene.file("manifest.json"))
    for i in manifest.indices {
      var changed = manifest
      changed[i] ^= 1
      let error = try tampered("manifest.json", changed)
      #expect(
        [.manifestForm, .manifestAuthentication, .wrongKEK].contains(error),
        "byte \(i): \(String(describing: error))")
    }
    for count in stride(from: 0, to: manifest.count, by: 13) {
      #expect(try tampered("manifest.json", Array(manifest.prefix(count))) == .manifestForm)
    }
    #expect(try tampered("manifest.json", manifest + [0x0A]) == .manifestForm)
  }

  /// [KS-KEY-BLOCK]
  @Test func noByteOfABlockCanBeChanged() throws {
    let name = record.id.hex + ".kb"
    let block = try #require(scene.file(name))
    for i in block.indices {
      var changed = block
      changed[i] ^= 1
      #expect(try tampered(name, changed) == .key(record.id, .blockDigest))
    }
    #expect(try tampered(name, block + [0x0A]) == .key(record.id, .blockDigest))
    #expect(try tampered(name, nil) == .key(record.id, .blockMissing))
  }

  /// [KS-KEY-CERTIFICATE]
  @Test func noByteOfACertificateCanBeChanged() throws {
    let name = Scene.certificateName(record)
    let certificate = try #require(scene.file(name))
    for i in certificate.indices {
      var changed = certificate
      changed[i] ^= 1
      #expect(try tampered(name, changed) == .key(record.id, .certificate))
    }
    #expect(try tampered(name, nil) == .key(record.id, .certificate))
  }

  /// [KS-KEY-HEADER] [KS-KEY-CHECK] As whoever had the manifest key but not the KBPK might: the
  /// block's own MAC and header must say no.
  @Test func aBlockTheManifestAgreesWithIsStillChecked() throws {
    let (kbpk, manifestKey) = try Scene.storeKeys()
    let block = try #require(scene.file(record.id.hex + ".kb"))
    let key = try plain(Fixture.ecKey().serialised())
    let otherKey = try plain(PrivateKey.generate(.p256).serialised())
    let right = try record.header(kbpk: KeyCheckValue.aes(kbpk.span))
    let blocks = right.optionalBlocks.filter { $0.id != .padding }
    let wrongUse = try KeyBlockHeader(
      usage: .digitalSignature, algorithm: .ellipticCurve, mode: .signOnly, optionalBlocks: blocks)
    let exportable = try KeyBlockHeader(
      usage: .keyAgreement, algorithm: .ellipticCurve, mode: .deriveOnly,
      exportability: .exportable, optionalBlocks: blocks)
    let noLabel = try KeyBlockHeader(
      usage: .keyAgreement, algorithm: .ellipticCurve, mode: .deriveOnly)
    var changed = block
    changed[changed.count - 1] ^= 1
    let rows: [([UInt8], KeyFault)] = [
      (changed, .block),
      (try KeyBlock.wrap(key: key.span, header: right, kbpk: manifestKey.span), .block),
      (try KeyBlock.wrap(key: key.span, header: wrongUse, kbpk: kbpk.span), .header),
      (try KeyBlock.wrap(key: key.span, header: exportable, kbpk: kbpk.span), .header),
      (try KeyBlock.wrap(key: key.span, header: noLabel, kbpk: kbpk.span), .header),
      (try KeyBlock.wrap(key: otherKey.span, header: right, kbpk: kbpk.span), .material),
      (try KeyBlock.wrap(key: [1, 2, 3].span, header: right, kbpk: kbpk.span), .material),
    ]
    for (text, fault) in rows { #expect(try forged(text, manifestKey) == .key(record.id, fault)) }
  }

  /// Plants the block, and a manifest that agrees with it.
  private func forged(_ text: [UInt8], _ manifestKey: [UInt8]) throws -> KeyStoreError? {
    var manifest = try ManifestFile(parsing: try #require(scene.file("manifest.json"))).manifest
    var lying = record
    lying.block = SHA256.hash(text)
    manifest.replace(lying)
    let copy = try Scene(scene.disk.afterCrash(.keepsUnsynced))
    copy.disk.plant(Scene.path + "/" + record.id.hex + ".kb", text)
    copy.disk.plant(
      Scene.path + "/manifest.json", try ManifestFile(manifest, key: manifestKey.span).serialised)
    let kek = try Scene.kek()
    return refusal { () throws(KeyStoreError) in try copy.unlock(kek: kek) }
  }

  @Test func aManifestOfAnotherStoreIsRefused() throws {
    let other = try Scene()
    _ = try LockedKeyStore.create(
      "keys", in: "/state", kek: Scene.kek(5), kind: .production, at: Scene.now, on: other.disk)
    #expect(try tampered("manifest.json", other.file("manifest.json")) == .wrongKEK)
  }

  /// [KS-MANIFEST-SAME] Only the audit log can tell: the caller compares generation and anchor with
  /// it.
  @Test func anOlderManifestIsTakenButSaysSo() throws {
    let old = try #require(scene.file("manifest.json"))
    let store = try scene.unlock()
    try store.setState(.retired, of: record.id, at: Scene.later, anchor: Scene.anchor(9))
    scene.disk.plant(Scene.path + "/manifest.json", old)
    #expect(throws: KeyStoreError.changedOnDisk) {
      try store.checkpointCounters(anchor: Scene.anchor(10))
    }
    let rolledBack = try store.locked().unlock(kek: Scene.kek(), expecting: .production)
    #expect((rolledBack.generation, rolledBack.anchor) == (2, Scene.anchor(1)))
  }
}
