import Ceremony
import Crypto
import Host
import TestSupport
import Testing

@testable import KeyStore

/// [KS-CUSTODIANS]
@Suite struct CustodianTests {
  private static let file = Scene.path + "/custodians.json"
  let scene: Scene

  init() throws { scene = try Scene() }

  /// The shares of a KEK, and who holds them.
  private static func split(_ first: UInt8 = 0, _ holders: [Custodian]? = nil) throws
    -> CustodianRegister
  {
    let kek = try Scene.kek(first)
    let shares = try ShareCollection.split(kek.bytes, by: SharingScheme(2, of: 3))
    return try CustodianRegister(
      shares, holders: holders ?? people(["ada", "grace", "mary"]),
      kek: KeyCheckValue.aes(kek.bytes))
  }

  private static func people(_ users: [String]) throws -> [Custodian] {
    try users.map { user in try #require(Custodian(name: "Ms " + user, user: user)) }
  }

  private func create(_ custodians: CustodianRegister?) throws(KeyStoreError) -> LockedKeyStore {
    let kek: SecretBuffer
    do throws(SecretMemoryError) { kek = try Scene.kek() } catch { throw .crypto(.exhausted) }
    return try LockedKeyStore.create(
      "keys", in: "/state", kek: kek, custodians: custodians, kind: .production, at: Scene.now,
      on: scene.disk)
  }

  @Test func theRegisterIsThereWhileTheStoreIsLocked() throws {
    let register = try Self.split()
    #expect(try create(register).custodians() == register)
    #expect(try scene.unlock().strays == [])
    let holder = try #require(register.holder(of: register.groups[0].holdings[1].fingerprint))
    #expect((holder.name, holder.user) == ("Ms grace", "grace"))
    let nobodys = try #require(ShareFingerprint(hex: "0011223344"))
    #expect(register.holder(of: nobodys) == nil)
  }

  @Test func aStoreWhoseKEKIsNotSplitHasNone() throws {
    #expect(try create(nil).custodians() == nil)
    _ = try scene.unlock()
  }

  @Test func newHoldersTakeTheOldOnesPlace() throws {
    _ = try create(try Self.split())
    let store = try scene.unlock()
    let next = try Self.split(0, try Self.people(["ann", "beth", "cleo"]))
    try store.register(next, kek: Scene.kek())
    #expect(try store.locked().custodians() == next)
  }

  @Test func nobodyIsRegisteredUnderAnotherKEK() throws {
    #expect(refusal { () throws(KeyStoreError) in _ = try create(try other()) } == .wrongKEK)
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open(Scene.path, on: scene.disk) }
    _ = try create(try Self.split())
    let store = try scene.unlock()
    let strange = try Self.split(7)
    let own = try Self.split()
    let kek = try Scene.kek()
    let another = try Scene.kek(7)
    #expect(
      refusal { () throws(KeyStoreError) in try store.register(strange, kek: another) } == .wrongKEK
    )
    #expect(
      refusal { () throws(KeyStoreError) in try store.register(strange, kek: kek) } == .wrongKEK)
    #expect(
      refusal { () throws(KeyStoreError) in try store.register(own, kek: another) } == .wrongKEK)
  }

  private func other() throws(KeyStoreError) -> CustodianRegister {
    do { return try Self.split(9) } catch { throw .custodians }
  }

  @Test func everyShareHasAHolderOfItsOwn() throws {
    let kek = try Scene.kek()
    let shares = try ShareCollection.split(kek.bytes, by: SharingScheme(2, of: 3))
    let check = try KeyCheckValue.aes(kek.bytes)
    let two = try #require(Custodian(name: "Ms ada", user: "grace"))
    let people = try Self.people(["ada", "grace", "mary"])
    let ada = people[0]
    let grace = people[1]
    let mary = people[2]
    for holders in [
      [], [ada], [ada, grace], [ada, grace, mary, two], [ada, grace, ada], [two, grace, mary],
      [ada, two, mary],
    ] {
      #expect(throws: KeyStoreError.custodians) {
        try CustodianRegister(shares, holders: holders, kek: check)
      }
    }
  }

  @Test(arguments: [
    ("", "ada"), ("Ada\n", "ada"), ("Ada\u{9B}", "ada"), ("Ada\u{202E}", "ada"),
    (String(repeating: "a", count: 65), "ada"), ("Ada", ""), ("Ada", "Ada"),
    ("Ada", "-ada"), ("Ada", "0"), ("Ada", "a b"),
    ("Ada", "a:b"), ("Ada", "ada$"), ("Ada", String(repeating: "a", count: 33)),
  ])
  func suchAPersonThereIsNot(_ name: String, _ user: String) {
    #expect(Custodian(name: name, user: user) == nil)
  }

  /// How many more shares must come, by how many of each group are there.
  @Test func whatIsMissing() throws {
    let register = try Self.split()
    #expect([[:], [0: 1], [0: 2], [0: 3]].map(register.missing) == [2, 1, 0, 0])
    let kek = try Scene.kek()
    let groups = try SharingScheme(
      groupThreshold: 2,
      groups: [
        SharingScheme.Group(2, of: 2), SharingScheme.Group(3, of: 3), SharingScheme.Group(2, of: 2),
      ])
    let shares = try ShareCollection.split(kek.bytes, by: groups)
    let grouped = try CustodianRegister(
      shares, holders: try Self.people((0..<7).map { "user\($0)" }),
      kek: KeyCheckValue.aes(kek.bytes))
    #expect(
      [[:], [1: 2], [0: 2], [0: 2, 1: 3], [0: 1, 1: 1, 2: 1]].map(grouped.missing) == [
        4, 3, 2, 0, 2,
      ])
  }

  @Test func noByteOfTheFileCanBeChanged() throws {
    _ = try create(try Self.split())
    let file = try #require(scene.file("custodians.json"))
    for i in file.indices {
      var changed = file
      changed[i] ^= 1
      #expect(try unlock(changed) == .custodians, "byte \(i)")
    }
    for count in stride(from: 0, to: file.count, by: 13) {
      #expect(try unlock(Array(file.prefix(count))) == .custodians)
    }
    #expect(try unlock(file + [0x0A]) == .custodians)
    #expect(try unlock(file) == nil)
  }

  /// A register of another KEK is authentic under that one alone.
  @Test func anotherStoresFileIsRefused() throws {
    _ = try create(try Self.split())
    let other = try Scene()
    _ = try LockedKeyStore.create(
      "keys", in: "/state", kek: Scene.kek(5), custodians: Self.split(5), kind: .production,
      at: Scene.now, on: other.disk)
    #expect(try unlock(try #require(other.file("custodians.json"))) == .custodians)
  }

  /// What an attempt left behind must not outlive it.
  @Test func aStoreMadeAfterAnAbandonedOneHasNoOldRegister() throws {
    _ = try create(try Self.split())
    scene.disk.unplant(Scene.path + "/manifest.json")
    #expect(try create(nil).custodians() == nil)
  }

  @Test func aCrashLeavesTheOldHoldersOrTheNew() throws {
    let old = try Self.split()
    _ = try create(old)
    let new = try Self.split(0, try Self.people(["ann", "beth", "cleo"]))
    try FaultMatrix(from: scene.disk).run { disk in
      (try? Scene(disk).unlock().register(new, kek: Scene.kek())) != nil
    } _: { disk, acknowledged, point in
      let found = try LockedKeyStore.open(Scene.path, on: disk).custodians()
      #expect(found == new || found == old && !acknowledged, "\(point)")
      _ = try Scene(disk).unlock()
    }
  }

  private func unlock(_ file: [UInt8]) throws -> KeyStoreError? {
    let copy = try Scene(scene.disk.afterCrash(.keepsUnsynced))
    copy.disk.plant(Self.file, file)
    let kek = try Scene.kek()
    return refusal { () throws(KeyStoreError) in try copy.unlock(kek: kek) }
  }
}
