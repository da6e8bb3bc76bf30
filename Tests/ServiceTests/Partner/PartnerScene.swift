import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// A shop whose tokens are opened for an acquirer, who alone can read what is released.
struct PartnerScene {
  /// The acquirer's keys, by the last segment of their labels.
  static let keys = ["ec", "rsa", "shared"]
  static let members = "kid=acquirer-1 typ=JOSE iat=number channelSecurityContext=SHARED_SECRET"
  static let released = ReleasedFields([
    .dpan, .expiry, .currency, .amount, .cryptogram, .eci, .network,
  ])
  /// How long the public keys last, in seconds.
  static let life: Int64 = 3600
  private static let ec = Result { try PrivateKey.generate(.p256) }
  private static let rsa = Result { try PrivateKey.generate(.rsa(bits: 2048)) }
  private static let shared = [UInt8](1...32)

  let scene: TokenScene
  let service: TestService

  init(
    to partner: String, _ operations: Set<Opcode> = [.openPaymentToken],
    released: ReleasedFields = released
  ) throws {
    scene = try TokenScene { store in try Self.take(into: store) }
    let grant = try Rule(
      id: "shop", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: operations,
      keys: [KeyPattern("merchant/*")].compactMap { $0 }, released: released, partner: partner,
      showsStage: true)
    service = try scene.service(grants: [grant])
    try service.unlock()
  }

  private static func take(into store: KeyStore) throws {
    let end = TestService.start.adding(seconds: life)
    try importKey("ec", .partnerEncryptionEC, .publicKey(ec.get().publicKey), end, store)
    try importKey("rsa", .partnerEncryptionRSA, .publicKey(rsa.get().publicKey), end, store)
    try importKey(
      "shared", .partnerEncryptionAES, .symmetric(SecretBuffer(copying: shared.span)), nil, store)
  }

  private static func importKey(
    _ name: String, _ role: KeyRole, _ material: consuming KeyMaterial, _ end: Timestamp?,
    _ store: KeyStore
  ) throws {
    let label = try #require(KeyLabel("partner/" + name))
    let members = try #require(JWEMembers(Self.members))
    _ = try store.importKey(
      KeyImport(label: label, role: role, material: material, notAfter: end, jweMembers: members),
      at: TestService.start, anchor: .beginning)
  }

  /// What the acquirer reads.
  static func open(_ jwe: String, with name: String) throws -> (header: String, json: String) {
    let key: JWEOpener.Key =
      switch name {
      case "ec": .privateKey(try ec.get())
      case "rsa": .privateKey(try rsa.get())
      default: .shared(try SecretBuffer(copying: shared.span))
      }
    let opened = try JWEOpener.open(jwe, with: key)
    let plaintext = opened.plaintext.bytes.array
    return (opened.header, String(decoding: plaintext, as: UTF8.self))
  }

  func reply(release: ReleasedFields = [], required: ReleasedFields = [], retryKey: [UInt8] = [])
    throws -> (header: ReplyHeader, body: [UInt8])
  {
    try scene.reply(
      to: scene.request(
        scene.mint(signedAt: scene.clock.now), release: release, required: required,
        retryKey: retryKey), service)
  }
}
