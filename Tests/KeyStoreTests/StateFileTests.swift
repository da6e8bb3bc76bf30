import Ceremony
import Crypto
import Format
import Host
import TestSupport
import Testing

@testable import KeyStore

/// Every file of a store's directory, taken away or put in place by somebody who can write there:
/// what it leads to.
@Suite struct StateFileTests {
  /// What stands in a file's place.
  enum Damage: CaseIterable { case absent, older, another, empty, forged }

  /// Uses that the limited key has left.
  private static let left = 1
  private let now, before, other: Files
  private let (limited, codes, merchant): (KeyID, KeyID, KeyID)
  private let disk: SimulatedDisk

  /// The contents of a directory, by name.
  private typealias Files = [String: [UInt8]]

  init() throws {
    (disk, limited, codes, merchant) = try Self.make(0)
    try Self.use(disk, limited, codes, rounds: 1)
    before = Self.files(disk)
    try Self.use(disk, limited, codes, rounds: 3)
    let store = try Scene(disk).unlock()
    try store.register(try Self.register(0), kek: Scene.kek())
    now = Self.files(disk)
    // The same keys' files, of a store under another KEK.
    let (elsewhere, limited, codes, merchant) = try Self.make(7)
    let names = [(limited, self.limited), (codes, self.codes), (merchant, self.merchant)].map {
      ($0.0.hex, $0.1.hex)
    }
    other = Dictionary(
      uniqueKeysWithValues: Self.files(elsewhere).map { name, bytes in
        (names.first { name.hasPrefix($0.0) }.map { $0.1 + name.dropFirst(32) } ?? name, bytes)
      })
  }

  private static func make(_ first: UInt8) throws -> (
    SimulatedDisk, limited: KeyID, codes: KeyID, merchant: KeyID
  ) {
    let scene = try Scene()
    _ = try LockedKeyStore.create(
      "keys", in: "/state", kek: Scene.kek(first), custodians: register(first), kind: .production,
      at: Scene.now, on: scene.disk)
    let store = try scene.unlock(kek: Scene.kek(first))
    let label = try #require(KeyLabel("app/limited"))
    let limited = try store.importKey(
      KeyImport(
        label: label, role: .macCMAC, material: .symmetric(Random.secret(count: 32)), useLimit: 5),
      at: Scene.now, anchor: Scene.anchor(1)
    ).id
    let merchant = try store.importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1)).id
    let codes = try store.importCodes().id
    // So that there is one of each.
    _ = try store.countInvocation(of: limited)
    let cost = try #require(PassphraseCost(passes: 1, memory: 8 << 10))
    let kek = try Scene.kek(first)
    let passphrase = PassphraseTests.passphrase
    try store.directory.write(
      .passphrase,
      PassphraseFile.wrap(kek: kek.bytes, passphrase: passphrase.span, cost: cost).serialised)
    try store.checkpointCounters(anchor: Scene.anchor(2))
    return (scene.disk, limited, codes, merchant)
  }

  private static func register(_ first: UInt8) throws -> CustodianRegister {
    let kek = try Scene.kek(first)
    let shares = try ShareCollection.split(kek.bytes, by: SharingScheme(2, of: 2))
    let holders = try ["ada", "grace"].map { user in
      try #require(Custodian(name: "Ms " + user, user: user))
    }
    return try CustodianRegister(shares, holders: holders, kek: KeyCheckValue.aes(kek.bytes))
  }

  /// Uses both keys, and locks as the daemon does. The limit is 5, one use is in `make`, three are
  /// in the second call.
  private static func use(_ disk: SimulatedDisk, _ limited: KeyID, _ codes: KeyID, rounds: Int)
    throws
  {
    let store = try Scene(disk).unlock()
    for _ in 0..<rounds {
      if rounds > 1 { try store.countInvocation(of: limited) }
      _ = try store.update(
        Array("customer-7".utf8).span, of: try #require(store.codes(codes)), at: Scene.now
      ) { $0.next += 1 }
    }
    try store.checkpointCounters(anchor: Scene.anchor(3))
  }

  private static func files(_ disk: SimulatedDisk) -> Files {
    let names = (try? disk.list(Scene.path)) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, disk.contents(Scene.path + "/" + $0) ?? []) })
  }

  /// What a file becomes; nil where it is taken away.
  private func damaged(_ name: String, _ damage: Damage) throws -> [UInt8]? {
    switch damage {
    case .absent: return nil
    case .older: return before[name]
    case .another: return other[name]
    case .empty: return []
    case .forged:
      var bytes = try #require(now[name])
      guard !bytes.isEmpty else { return [1] }
      // A digit of the HMAC, of a block's ciphertext, a byte of a certificate's key, of a counter's
      // number or of a ledger's first entry.
      let place =
        name.hasSuffix(".json")
        ? 10
        : name.hasSuffix(".kb")
          ? bytes.count - 40 : name.hasSuffix(".ctr") ? 31 : min(bytes.count - 1, 90)
      bytes[place] = bytes[place] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
      return bytes
    }
  }

  /// What opening the store and using its keys comes to.
  private func consequence(_ name: String, _ damage: Damage) throws -> KeyStoreError? {
    let disk = self.disk.afterCrash(.keepsUnsynced)
    if let bytes = try damaged(name, damage) {
      disk.plant(Scene.path + "/" + name, bytes)
    } else {
      disk.unplant(Scene.path + "/" + name)
    }
    let limited = limited
    let codes = codes
    let scene = try Scene(disk)
    let kek = try Scene.kek()
    return refusal { () throws(KeyStoreError) in
      let store = try scene.unlock(kek: kek)
      for _ in 0..<Self.left { try store.countInvocation(of: limited) }
      guard
        refusal({ () throws(KeyStoreError) in try store.countInvocation(of: limited) })
          == .invocationsUsedUp
      else { throw .absent }
      guard let slot = store.codes(codes) else { throw .unknownKey }
      let subject = Array("customer-7".utf8)
      let next = try store.update(subject.span, of: slot, at: Scene.now) { (state) -> UInt64 in
        state.next
      }
      guard case .success(4) = next.result else { throw .absent }
    }
  }

  @Test func everyFileAndEveryDamage() throws {
    var rows: [(String, [KeyStoreError?])] = [
      // That a whole manifest is older, the log says: [KS-OLDER].
      ("manifest.json", [.absent, nil, .wrongKEK, .manifestForm, .manifestAuthentication]),
      // What a passphrase opens, the KEK opens without it.
      ("kek.json", [nil, nil, nil, .passphraseFile, nil]),
      ("custodians.json", [.custodians, .custodians, .custodians, .custodians, .custodians]),
      ("lock", [nil, nil, nil, nil, nil]),
      (limited.hex + ".kb", Self.block(limited)), (codes.hex + ".kb", Self.block(codes)),
      (merchant.hex + ".kb", Self.block(merchant)),
      (
        try #require(now.keys.first { $0.hasPrefix(merchant.hex) && $0.hasSuffix(".cer") }),
        [
          .key(merchant, .certificate), nil, nil, .key(merchant, .certificate),
          .key(merchant, .certificate),
        ]
      ),
      (limited.hex + ".ctr", [nil, nil, .counter(limited), .counter(limited), .counter(limited)]),
      (
        codes.hex + ".otp",
        [.ledgerOlder(codes), .ledgerOlder(codes), .ledger(codes), .ledger(codes), .ledger(codes)]
      ),
    ]
    // The audit log's keys, which the other store has under other names.
    for name in now.keys where name.hasSuffix(".kb") && !rows.contains(where: { $0.0 == name }) {
      let id = try #require(KeyID(hex: String(name.dropLast(3))))
      rows.append(
        (
          name,
          [
            .key(id, .blockMissing), nil, .key(id, .blockMissing), .key(id, .blockDigest),
            .key(id, .blockDigest),
          ]
        ))
    }
    #expect(Set(rows.map(\.0)) == Set(now.keys), "a file has no row")
    for (name, expected) in rows {
      for (damage, error) in zip(Damage.allCases, expected) {
        #expect(try consequence(name, damage) == error, "\(name) \(damage)")
      }
    }
  }

  /// A block never changes under its name.
  private static func block(_ id: KeyID) -> [KeyStoreError?] {
    [
      .key(id, .blockMissing), nil, .key(id, .blockDigest), .key(id, .blockDigest),
      .key(id, .blockDigest),
    ]
  }

  /// [KS-LEDGER-OLDER] A ledger that was written anew has not forgotten how many changes there
  /// were.
  @Test func aCompactedLedgerCountsOn() throws {
    let store = try Scene(disk).unlock()
    let slot = try #require(store.codes(codes))
    let subject = Array("customer-7".utf8)
    for count in 5...1030 as ClosedRange<UInt64> {
      #expect(
        try store.update(subject.span, of: slot, at: Scene.now) { $0.next += 1 }.changes == count)
    }
    #expect(try #require(disk.contents(Scene.path + "/" + codes.hex + ".otp")).count < 64 * 64)
    try store.checkpointCounters(anchor: Scene.anchor(4))
    let again = try Scene(disk.afterCrash(.losesUnsynced)).unlock()
    #expect(
      try again.update(subject.span, of: try #require(again.codes(codes)), at: Scene.now) {
        $0.next += 1
      }.changes == 1031)
  }
}
