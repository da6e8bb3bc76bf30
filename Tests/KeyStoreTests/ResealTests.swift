import Ceremony
import Crypto
import Format
import Host
import TestSupport
import Testing

@testable import KeyStore

/// [KS-RESEAL] [KS-KEK-NUMBER] A store under another KEK.
@Suite struct ResealTests {
  private static let subject = Array("customer-7".utf8)
  private let scene: Scene
  private let register: CustodianRegister

  init() throws {
    scene = try Scene()
    try Self.fill(scene)
    register = try Self.register(of: 1)
  }

  /// Every kind of file that hangs from the KEK: blocks, a certificate, a ledger, a counter, a
  /// register.
  private static func fill(_ scene: Scene, withMerchants: Bool = true) throws {
    let passphrase = Array("correct".utf8)
    let cost = try #require(PassphraseCost(passes: 1, memory: 8 << 10))
    let locked = try LockedKeyStore.create(
      "keys", in: "/state", kek: Scene.kek(), passphrase: passphrase.span, cost: cost,
      kind: .production, at: Scene.now, on: scene.disk)
    let store = try locked.unlock(kek: Scene.kek(), expecting: .production)
    try store.register(try register(of: 0), kek: Scene.kek())
    let label = try #require(KeyLabel("data/sealing"))
    let material = try Random.secret(count: 32)
    let sealing = try store.importKey(
      KeyImport(label: label, role: .sealing, material: .symmetric(material)), at: Scene.now,
      anchor: Scene.anchor(1))
    for _ in 0..<3 { try store.countInvocation(of: sealing.id) }
    _ = try store.importCodes()
    _ = try next(store)
    guard withMerchants else { return }
    _ = try store.importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1))
    let gone = try store.importKey(
      .ec(
        "merchant/acme/old", key: PrivateKey.generate(.p256), certificate: nil, merchant: "m",
        activates: false), at: Scene.now, anchor: Scene.anchor(1))
    try store.setState(.destroyed, of: gone.id, at: Scene.later, anchor: Scene.anchor(1))
  }

  static func register(of first: UInt8) throws -> CustodianRegister {
    let kek = try Scene.kek(first)
    let shares = try ShareCollection.split(kek.bytes, by: SharingScheme(2, of: 3))
    let holders = try ["ada", "grace", "mary"].map { user in
      try #require(Custodian(name: "Ms " + user, user: user))
    }
    return try CustodianRegister(shares, holders: holders, kek: KeyCheckValue.aes(kek.bytes))
  }

  private static func next(_ store: KeyStore) throws -> UInt64 {
    let id = try #require(store.records.first { $0.role.keepsLedger }?.id)
    return try store.ledger(of: try #require(store.codes(id))).update(subject.span, at: Scene.now) {
      state -> UInt64 in
      state.next += 1
      return state.next
    }.get()
  }

  private func id(_ label: String, _ store: KeyStore) throws -> KeyID {
    try #require(store.records.first { $0.label.text == label }?.id)
  }

  private func reseal(_ first: UInt8 = 1, from old: UInt8 = 0, in scene: Scene? = nil) throws
    -> KeyStore
  {
    let scene = scene ?? self.scene
    let register = try first == 1 ? register : Self.register(of: first)
    let locked = try scene.unlock(kek: Scene.kek(old)).reseal(
      under: Scene.kek(first), custodians: register)
    return try locked.unlock(kek: Scene.kek(first), expecting: .production)
  }

  @Test func everythingFollows() throws {
    // Another process's, so that the store is not in use.
    let old = try scene.reopened()
    let records = old.records
    let generation = old.generation
    let sealing = try id("data/sealing", old)
    let secret = try #require(old.table.value.slots[sealing]).serialised()
    let store = try reseal()
    #expect(store.generation == generation + 1 && store.strays == [])
    #expect(
      store.records.map(\.label) == records.map(\.label)
        && store.records.map(\.check) == records.map(\.check))
    #expect(
      store.records.map(\.state) == records.map(\.state)
        && store.records.map(\.certificate) == records.map(\.certificate))
    let now = try #require(store.table.value.slots[sealing]).serialised()
    #expect(plain(now) == plain(secret))
    // The subject is known under its tag, the counter goes on, and the new holders are registered.
    #expect(try Self.next(store) == 2)
    #expect(try store.countInvocation(of: sealing) == 4096)
    #expect(try store.locked().custodians() == register)
  }

  @Test func theOldKEKOpensNothing() throws {
    let blocks = try #require(scene.file(try id("data/sealing", scene.unlock()).hex + ".kb"))
    let id = try id("data/sealing", reseal())
    #expect(
      refusal { () throws(KeyStoreError) in _ = try scene.unlock(kek: Self.kek()) } == .wrongKEK)
    // No file that the old KEK or passphrase opens is left.
    for name in ["kek.json", "custodians.json", id.hex + ".kb", id.hex + ".ctr"] {
      #expect(scene.file(name) == nil, "\(name)")
    }
    let block = try #require(scene.file(id.hex + ".1.kb"))
    #expect(block != blocks)
    let kek = try Scene.kek()
    let old = try StoreKeys(kek: kek.bytes)
    #expect(throws: KeyBlockError.mac) { _ = try KeyBlock.unwrap(block.span, kbpk: old.kbpk.bytes) }
    let locked = try LockedKeyStore.open(Scene.path, on: scene.disk)
    #expect(!locked.acceptsPassphrase)
    let passphrase = Array("correct".utf8)
    #expect(
      refusal { () throws(KeyStoreError) in
        try locked.unlock(passphrase: passphrase.span, expecting: .production)
      } == .noPassphrase)
  }

  @Test func againAndAgain() throws {
    _ = try reseal(1)
    _ = try reseal(2, from: 1)
    let store = try reseal(3, from: 2)
    #expect(try Self.next(store) == 2)
    #expect(try store.countInvocation(of: id("data/sealing", store)) == 4096)
    #expect(
      store.strays == [] && scene.file("custodians.3.json") != nil
        && scene.file("custodians.2.json") == nil)
    let id = try store.importKey(
      .ec("merchant/acme/next", key: PrivateKey.generate(.p256), certificate: nil, merchant: "m"),
      at: Scene.now, anchor: Scene.anchor(2)
    ).id
    #expect(scene.file(id.hex + ".3.kb") != nil)
    #expect(
      try Scene(scene.disk.afterCrash(.losesUnsynced)).unlock(kek: Scene.kek(3)).records.contains {
        $0.id == id
      })
  }

  @Test func aCopyIsReadToo() throws {
    _ = try reseal()
    let copy = try StoreCopy(Scene.path, on: scene.disk.afterCrash(.losesUnsynced))
    #expect(copy.custodians == register)
    #expect(try copy.rebuild(kek: Scene.kek(1)).records.count == 5)
    #expect(throws: KeyStoreError.wrongKEK) { try copy.rebuild(kek: Scene.kek()) }
  }

  /// [KS-COPY] [KS-RESTORE] Copies and stores of them have the names that the number gives.
  @Test func aCopyOfIt() throws {
    let facts = try reseal().copy(to: "copy", in: "/state")
    let copy = try StoreCopy("/state/copy", on: scene.disk)
    #expect(copy.facts == facts && copy.custodians == register)
    try copy.restore(to: "again", in: "/state", digest: facts.digest, at: Scene.later)
    let again = try LockedKeyStore.open("/state/again", on: scene.disk).unlock(
      kek: Scene.kek(1), expecting: .production)
    #expect(again.records.count == 6 && again.strays == [])
    try again.accept(RestoredCopy(#require(again.restoredMark)))
    // Codes stay refused under the next KEK, too.
    let id = try #require(again.records.first { $0.role.keepsLedger }?.id)
    let locked = try again.reseal(under: Scene.kek(2), custodians: Self.register(of: 2))
    let next = try locked.unlock(kek: Scene.kek(2), expecting: .production)
    #expect(throws: KeyStoreError.codesNotRestored(id)) { try Self.next(next) }
  }

  // What is refused.

  @Test func anotherKEKsRegister() throws {
    #expect(
      refusal { () throws(KeyStoreError) in
        try scene.unlock(kek: Self.kek()).reseal(under: Self.kek(2), custodians: register)
      } == .wrongKEK)
    #expect(try Self.next(scene.unlock()) == 2)
  }

  @Test func theSameKEK() throws {
    let register = try Self.register(of: 0)
    let store = try scene.unlock()
    #expect(
      refusal { () throws(KeyStoreError) in
        try store.reseal(under: Self.kek(), custodians: register)
      } == .wrongKEK)
  }

  @Test(arguments: [".ctr", ".otp"]) func whatWasTamperedWithBefore(_ ending: String) throws {
    let store = try scene.unlock()
    let id = try #require(store.records.first { scene.file($0.id.hex + ending) != nil }?.id)
    var bytes = try #require(scene.file(id.hex + ending))
    bytes[40] ^= 1
    scene.disk.plant(Scene.path + "/" + id.hex + ending, bytes)
    let expected: KeyStoreError = ending == ".ctr" ? .counter(id) : .ledger(id)
    #expect(
      refusal { () throws(KeyStoreError) in
        try store.reseal(under: Self.kek(1), custodians: register)
      } == expected)
    #expect(try scene.reopened().records.count == 6)
  }

  @Test func aTagKeyThatIsNotTheManifests() throws {
    _ = try reseal()
    let text = String(decoding: try #require(scene.file("manifest.json")), as: UTF8.self)
    let block = String(try #require(text.firstMatch(of: /"tag_key":"([^"]+)"/)).1)
    for changed in [
      text.replacing(block, with: block.dropLast() + (block.hasSuffix("0") ? "1" : "0")),
      text.replacing(block, with: ""),
      text.replacing("\"number\":1", with: "\"number\":2"),
      text.replacing("\"number\":1", with: "\"number\":0"),
      text.replacing(/,"resealed":\{[^}]+\}/, with: ""),
    ] {
      #expect(changed != text)
      let disk = scene.disk.afterCrash(.losesUnsynced)
      disk.plant(Scene.path + "/manifest.json", Array(changed.utf8))
      let refused = refusal { () throws(KeyStoreError) in
        _ = try LockedKeyStore.open(Scene.path, on: disk).unlock(
          kek: Self.kek(1), expecting: .production)
      }
      #expect(refused == .manifestForm || refused == .manifestAuthentication, "\(changed)")
    }
  }

  /// [KS-WRITE-ORDER] At every call to the disk, in every way: one of the two KEKs opens the whole
  /// store, and nothing of the other is left.
  @Test func aCrashLeavesTheOldKEKOrTheNewOne() throws {
    let start = SimulatedDisk()
    try Self.fill(Scene(start), withMerchants: false)
    var wasOld = 0
    var wasNew = 0
    let (_, calls) = try FaultMatrix(from: start).run { disk in
      (try? reseal(in: Scene(disk))) != nil
    } _: { disk, acknowledged, point in
      let scene = try Scene(disk)
      let isNew = try LockedKeyStore.open(Scene.path, on: disk).claimedKEK == register.kek
      #expect(isNew || !acknowledged, "\(point)")
      #expect(
        refusal { () throws(KeyStoreError) in _ = try scene.unlock(kek: Self.kek(isNew ? 0 : 1)) }
          == .wrongKEK, "\(point)")
      let store = try scene.unlock(kek: Scene.kek(isNew ? 1 : 0))
      // Only temporary files may stay.
      #expect(store.strays.allSatisfy { $0.hasPrefix(".") } && store.records.count == 4, "\(point)")
      #expect(
        try Self.next(store) == 2 && store.countInvocation(of: id("data/sealing", store)) == 4096,
        "\(point)")
      wasOld += isNew ? 0 : 1
      wasNew += isNew ? 1 : 0
    }
    #expect(wasOld > 0 && wasNew > 0 && calls > 40)
  }

  private static func kek(_ first: UInt8 = 0) throws(KeyStoreError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try Scene.kek(first) } catch { throw .crypto(.exhausted) }
  }
}
