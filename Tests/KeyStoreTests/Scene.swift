import Ceremony
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import KeyStore
@testable import Policy

/// A store on a simulated disk, and what there is to do with it.
struct Scene {
  static let path = "/state/keys"
  static let now = Timestamp(seconds: 1_790_000_000)
  static let later = Timestamp(seconds: 1_790_000_600)

  let disk: SimulatedDisk

  init(_ disk: SimulatedDisk = SimulatedDisk()) throws {
    try #require(TestArena.ready)
    self.disk = disk
  }

  static func kek(_ first: UInt8 = 0) throws(SecretMemoryError) -> SecretBuffer {
    let bytes = (0..<32).map { first &+ UInt8($0) }
    let span = bytes.span
    return try SecretBuffer(copying: span)
  }

  /// The KBPK and the manifest's key, as plain bytes.
  static func storeKeys() throws -> (kbpk: [UInt8], manifest: [UInt8]) {
    let kek = try kek()
    let keys = try StoreKeys(kek: kek.bytes)
    return (keys.kbpk.bytes.array, keys.manifest.bytes.array)
  }

  static func anchor(_ size: UInt64) -> AuditAnchor {
    AuditAnchor(size: size, root: SHA256.hash([UInt8(truncatingIfNeeded: size)]))
  }

  func create(_ kind: StoreKind = .production) throws(KeyStoreError) {
    let kek: SecretBuffer
    do throws(SecretMemoryError) { kek = try Self.kek() } catch { throw .crypto(.exhausted) }
    _ = try LockedKeyStore.create(
      "keys", in: "/state", kek: kek, kind: kind, at: Self.now, on: disk)
  }

  func unlock(kek: borrowing SecretBuffer, _ kind: StoreKind = .production) throws(KeyStoreError)
    -> KeyStore
  {
    try LockedKeyStore.open(Self.path, on: disk).unlock(kek: kek, expecting: kind)
  }

  func unlock() throws -> KeyStore { try unlock(kek: Self.kek()) }

  /// The store as another process would find it, while this one has it open.
  func reopened() throws -> KeyStore { try Scene(disk.afterCrash(.losesUnsynced)).unlock() }

  /// Moves the first merchant key on.
  func enter(_ state: KeyState) throws {
    let store = try unlock()
    let id = try #require(store.records.first { $0.role.isMerchant }?.id)
    try store.setState(state, of: id, at: Self.later, anchor: Self.anchor(2))
  }

  static func certificateName(_ record: KeyRecord) -> String {
    "\(record.id.hex).\(record.certificate?.digest.hex.prefix(16) ?? "").cer"
  }

  func file(_ name: String) -> [UInt8]? { disk.contents(Self.path + "/" + name) }
}

extension KeyImport {
  static func ec(
    _ label: String = "merchant/acme/processing-2026", key: PrivateKey? = nil,
    certificate: String? = Fixture.certificate, merchant: String? = nil,
    activates: Bool = true, notAfter: Timestamp? = nil
  ) throws -> KeyImport {
    KeyImport(
      label: try #require(KeyLabel(label)), role: .merchantProcessingEC,
      material: .privateKey(try key ?? Fixture.ecKey()),
      certificate: try certificate.map(Fixture.certificate),
      merchant: merchant.flatMap { MerchantIdentifier($0) }, activates: activates,
      notAfter: notAfter)
  }
}

extension KeyImport {
  static func mac(_ label: String, by persons: Persons? = nil) throws -> KeyImport {
    KeyImport(
      label: try #require(KeyLabel(label)), role: .macCMAC,
      material: .symmetric(try Random.secret(count: 32)),
      by: persons)
  }
}

extension KeyStore {
  var kind: StoreKind { table.value.manifest.kind }

  /// Goes up by one with every change on disk.
  var generation: Int64 { table.value.manifest.generation }
}

extension Grant {
  /// What only `CoveringRules.decide` may make in earnest.
  static func test(_ opcode: Opcode = .openPaymentToken, _ key: KeyID?) throws -> Grant {
    let rule = try Rule(
      id: "test", callers: CallerRule(users: [Principal(id: 1000)]),
      operations: [.openPaymentToken], keys: [.prefix("")])
    return Grant(CoveringRule(rule, Caller(uid: 1000, gid: 1000, pid: 1)), opcode, key, [])
  }
}

func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  try body(directory.path)
}

/// A secret's bytes, which only a test may have outside the arena.
func plain(_ secret: borrowing SecretBuffer) -> [UInt8] { secret.bytes.array }

/// The error a call throws, or nil.
func refusal<R>(_ call: () throws(KeyStoreError) -> R) -> KeyStoreError? {
  do throws(KeyStoreError) {
    _ = try call()
    return nil
  } catch { return error }
}
