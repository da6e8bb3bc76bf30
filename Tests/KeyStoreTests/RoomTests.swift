import Ceremony
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import KeyStore

/// What is written is never larger than what is read.
@Suite struct RoomTests {
  private static let most = Persons(asked: .max, approved: .max - 1)
  private static let lastAnchor = AuditAnchor(size: 1 << 53 - 1, root: SHA256.hash([]))

  /// One of each file that a store has.
  private static let files: [StoreFile] = {
    let id = KeyID(prefixOf: [UInt8](repeating: 7, count: 16).span) ?? .none
    return [
      .manifest, .passphrase, .custodians, .restored, .former, .block(id),
      .certificate(id, SHA256.hash([])), .ledger(id),
      .counter(id),
    ]
  }()

  @Test("[KS-LIMIT] no file is written that would not be read", arguments: files)
  func nothingIsWrittenThatIsNotRead(_ file: StoreFile) throws {
    let scene = try Scene()
    try scene.disk.makeDirectory(Scene.path, mode: 0o700)
    let directory = try StoreDirectory(Scene.path, on: scene.disk)
    let longest = [UInt8](repeating: 1, count: file.limit)
    try directory.write(file, longest)
    #expect(try directory.read(file) == longest)
    let refused = KeyStoreError.storage(.tooLarge)
    #expect(
      refusal { () throws(KeyStoreError) in try directory.write(file, longest + [1]) } == refused)
    #expect(
      refusal { () throws(KeyStoreError) in try directory.append(file, [1], at: longest.count) }
        == refused)
    #expect(try directory.read(file) == longest)
    try directory.remove(file)
    #expect(
      refusal { () throws(KeyStoreError) in try directory.add(file, longest + [1]) } == refused)
  }

  @Test("[KS-ROOM] a full store takes no key, and every other change still fits") func fullStore()
    throws
  {
    let scene = try Scene()
    try scene.create()
    let limit = 112 << 10
    func open() throws -> KeyStore {
      try LockedKeyStore.open(Scene.path, on: scene.disk, manifestLimit: limit).unlock(
        kek: Scene.kek(), expecting: .production)
    }
    let ids = try {
      let store = try open()
      var ids: [KeyID] = []
      do {
        while ids.count < 100 {
          ids.append(
            try store.importKey(
              .longest(ids.count, .p256, by: Self.most), at: Scene.now, anchor: Self.lastAnchor
            ).id)
        }
      } catch KeyStoreError.importRefused(.storeFull) {}
      return ids
    }()
    #expect((5..<100).contains(ids.count))
    // Nothing is left of the key that was refused.
    let store = try open()
    #expect(store.strays == [] && store.records.count == ids.count + 2)
    for id in ids {
      store.restore(uses: 1 << 52, lastUse: Scene.later, for: id)
      try store.setState(
        .suspended, of: id, at: Scene.later, by: Self.most, anchor: Self.lastAnchor)
    }
    try store.checkpointCounters(anchor: Self.lastAnchor)
    for id in ids { try store.resume(id, by: Self.most, anchor: Self.lastAnchor) }
    for state in [KeyState.retired, .compromised, .destroyed] {
      for id in ids {
        try store.setState(state, of: id, at: Scene.later, by: Self.most, anchor: Self.lastAnchor)
      }
    }
    let size = try #require(scene.file("manifest.json")).count
    #expect(size <= limit, "\(size) bytes, \(ids.count) keys")
  }

  @Test("[KS-ROOM] the longest entry of a key, and what it grows by") func longestEntry() throws {
    let scene = try Scene()
    try scene.create()
    let store = try scene.unlock()
    func text() -> Int { scene.file("manifest.json")?.count ?? 0 }
    let empty = text()
    let id = try store.importKey(
      .longest(1, .rsa(bits: 4096), by: Self.most), at: Scene.now, anchor: Self.lastAnchor
    ).id
    let young = text() - empty
    store.restore(uses: 1 << 52, lastUse: Scene.later, for: id)
    for state in [KeyState.retired, .compromised, .destroyed] {
      try store.setState(state, of: id, at: Scene.later, by: Self.most, anchor: Self.lastAnchor)
    }
    let old = text() - empty
    #expect(
      (2500...Manifest.longestEntry).contains(old) && old - young <= Manifest.growth,
      "\(young), \(old)")
  }

  @Test("what a restore writes of a ledger is shorter than what the manifest has of its key")
  func restoredMark() throws {
    let scene = try Scene()
    try scene.create()
    let store = try scene.unlock()
    let id = try store.importCodes("o").id
    let entry = try #require(store.record(for: id)).json(under: 0).serialised.count
    let facts = CopyFacts(CopyListing(under: 0), store.table.value.manifest)
    func mark(_ ledgers: Int) -> Int {
      let digests = (0..<ledgers).compactMap { number in
        KeyID(prefixOf: SHA256.hash([UInt8(number)]).bytes.span).map { ($0, SHA256.hash([])) }
      }
      return RestoredMark(facts, ledgers: Dictionary(uniqueKeysWithValues: digests), at: Scene.now)
        .serialised.count
    }
    #expect((mark(101) - mark(1)) / 100 < entry)
    #expect(mark(0) + 200 < (scene.file("manifest.json")?.count ?? 0))
    #expect(StoreFile.restored.limit >= StoreFile.manifest.limit)
  }

  @Test("[KS-LEDGER] the longest ledger is read again") func longestLedger() throws {
    let scene = try Scene()
    try scene.create()
    let store = try scene.unlock()
    let id = try store.importCodes().id
    let capacity = OTPLedger.Capacity(known: 300, failed: 4)
    guard case .code(let code)? = store.record(for: id)?.otp else { throw KeyStoreError.wrongRole }
    let ledger = try OTPLedger(
      id, code, atLeast: 0, scene.directory(store), store.keys, capacity: capacity)
    var longest = 0
    for round in 0..<6 {
      for number in 0..<capacity.known {
        let subject = Array("subject \(number)".utf8)
        _ = try ledger.update(subject.span, at: Scene.now) { $0.issued = UInt64(round + 1) }
        longest = max(longest, scene.file(id.hex + ".otp")?.count ?? 0)
      }
    }
    let known = OTPLedger.Capacity(known: 300, failed: 0)
    #expect(longest == known.byteCount)
    #expect(
      StoreFile.ledger(id).limit == OTPLedger.Capacity.standard.byteCount
        + OTPLedgerContents.lineCount)
  }
}

extension Scene {
  fileprivate func directory(_ store: KeyStore) -> StoreDirectory { store.directory }
}

extension KeyImport {
  /// The longest entry that a key can have.
  fileprivate static func longest(_ number: Int, _ kind: KeyKind, by persons: Persons) throws
    -> KeyImport
  {
    let label = "a/\(number)/" + String(repeating: "x", count: 124 - "\(number)".count)
    let members = try #require(
      JWEMembers(
        "one=" + String(repeating: "v", count: 250) + " two=" + String(repeating: "w", count: 250)))
    return KeyImport(
      label: try #require(KeyLabel(label)),
      role: kind == .p256 ? .partnerEncryptionEC : .partnerEncryptionRSA,
      material: .publicKey(try PrivateKey.generate(kind).publicKey), notBefore: Scene.now,
      notAfter: Scene.later.adding(seconds: 86_400 * 3000),
      useLimit: 1 << 53 - 1, jweMembers: members, by: persons)
  }
}
