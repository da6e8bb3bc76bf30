import Crypto
import Format
import Host
import KeyStore
import KistClient
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport

/// A service with one key of every role that primitives know, and one caller who may do everything
/// with them.
final class PrimitiveScene {
  let service: TestService
  /// By role; P-256 where a role takes two curves.
  private(set) var keys: [KeyRole: KeyID] = [:]
  private(set) var agreementP384 = KeyID.none
  private(set) var signingP384 = KeyID.none
  private(set) var otherSealing = KeyID.none
  let connection: HandleTable
  /// SubjectPublicKeyInfo of the asymmetric keys.
  private(set) var publicKeys: [KeyID: [UInt8]] = [:]

  static let opcodes: [Opcode] = [
    .ecdh, .kdf, .seal, .unseal, .sign, .verify, .mac, .verifyMAC, .unwrap, .releaseHandle,
  ]
  static let roles: [KeyRole] = KeyRole.allCases.filter {
    !$0.isInternal && !$0.isPublic && $0.otpKind == nil
  }
  static let secrets = ReleasedSecrets(ReleasedSecret.allCases)

  init(
    _ operations: [Opcode] = opcodes, secrets: ReleasedSecrets = secrets,
    keys patterns: [String] = ["key/*"]
  ) throws {
    let leaving = ReleasedSecrets(secrets.secrets.filter { operations.contains($0.opcode) })
    let grant = try Rule(
      id: "primitives", callers: CallerRule(users: [Principal(id: 1000)]),
      operations: Set(operations), keys: patterns.compactMap { KeyPattern($0) },
      secrets: leaving, showsStage: true)
    var ids: [String: KeyID] = [:]
    var publicKeys: [KeyID: [UInt8]] = [:]
    service = try TestService(grants: [grant]) { store in
      for role in Self.roles {
        ids[role.rawValue] = try store.take(role.rawValue, role, Self.material(role))
      }
      ids["agreement-p384"] = try store.take(
        "agreement-p384", .agreement, .privateKey(PrivateKey.generate(.p384)))
      ids["signing-p384"] = try store.take(
        "signing-p384", .signingECDSA, .privateKey(PrivateKey.generate(.p384)))
      ids["sealing-other"] = try store.take(
        "sealing-other", .sealing, .symmetric(Random.secret(count: 32)))
      for record in store.records {
        if case .spki(let spki) = record.check { publicKeys[record.id] = spki }
      }
    }
    self.publicKeys = publicKeys
    try service.unlock()
    connection = service.service.makeHandles()
    for role in Self.roles { keys[role] = ids[role.rawValue] }
    agreementP384 = ids["agreement-p384"] ?? .none
    signingP384 = ids["signing-p384"] ?? .none
    otherSealing = ids["sealing-other"] ?? .none
  }

  func key(_ role: KeyRole) -> KeyID { keys[role] ?? .none }

  /// What came of a request: `ok`, a status, or `rejected` with its stage.
  struct Outcome: Equatable, CustomStringConvertible {
    let text: String
    let body: [UInt8]
    var description: String { text }
    static func == (a: Outcome, b: String) -> Bool { a.text == b }
  }

  func ask(_ opcode: Opcode, _ key: KeyID, _ body: [UInt8], over table: HandleTable? = nil) throws
    -> Outcome
  {
    let reply = try service.call(opcode, key: key, body: body, handles: table ?? connection)
    guard reply.header.status == .rejected else {
      return Outcome(text: reply.header.status.name, body: reply.body)
    }
    return Outcome(text: try Rejection(MessageReader(reply.body.span)).stage.name, body: [])
  }

  /// One of each for all tests, since they take long to make; an id is never given twice, so each
  /// role has its own.
  private static func rsa(_ role: KeyRole) throws -> PrivateKey {
    try rsaKeys.withLock { keys in
      if let key = keys[role] { return key }
      let key = try PrivateKey.generate(.rsa(bits: 2048))
      keys[role] = key
      return key
    }
  }

  private static let rsaKeys = Locked<[KeyRole: PrivateKey]>([:])

  private static func material(_ role: KeyRole) throws -> KeyMaterial {
    switch role {
    case .merchantProcessingEC, .agreement, .signingECDSA:
      .privateKey(try PrivateKey.generate(.p256))
    case .merchantProcessingRSA, .signingRSA, .unwrappingRSA, .merchantIdentityRSA:
      .privateKey(try rsa(role))
    case .signingEd25519, .auditSigning: .privateKey(try PrivateKey.generate(.ed25519))
    case .macHMACSHA384: .symmetric(try Random.secret(count: 48))
    case .macHMACSHA512: .symmetric(try Random.secret(count: 64))
    case .keyExchangeTDEA: .symmetric(try Random.secret(count: 16))
    default: .symmetric(try Random.secret(count: 32))
    }
  }
}

extension KeyStore {
  fileprivate func take(_ name: String, _ role: KeyRole, _ material: consuming KeyMaterial) throws
    -> KeyID
  {
    guard let label = KeyLabel("key/" + name) else {
      throw KeyStoreError.importRefused(.labelTaken)
    }
    let merchant = role.isMerchant ? MerchantIdentifier("merchant.com.example") : nil
    return try importKey(
      KeyImport(label: label, role: role, material: material, merchant: merchant),
      at: TestService.start, anchor: .beginning
    ).id
  }
}

/// The bodies of requests, as a client would write them.
enum Body {
  static func ecdh(_ peer: [UInt8], release: Bool = false) throws -> [UInt8] {
    try encoded { (writer) throws(WireError) in
      var request = ECDHRequest()
      request.peer = peer.span
      request.release = release
      try request.encode(into: &writer)
    }
  }

  static func kdf(
    _ handle: [UInt8], _ derivation: DerivationChoice = .oneStepSHA256, count: Int = 32,
    info: [UInt8] = [1], salt: [UInt8] = [],
    release: Bool = false
  ) throws -> [UInt8] {
    try encoded { (writer) throws(WireError) in
      var request = KDFRequest()
      request.handle = handle.span
      request.derivation = derivation
      request.count = count
      request.info = info.span
      request.salt = salt.span
      request.release = release
      try request.encode(into: &writer)
    }
  }

  static func kdf(_ handle: [UInt8], id: [UInt8], u: [UInt8], v: [UInt8]) throws -> [UInt8] {
    try encoded { (writer) throws(WireError) in
      var request = KDFRequest()
      request.handle = handle.span
      request.derivation = .oneStepSHA256
      request.count = 32
      request.otherInfo.algorithmID = id.span
      request.otherInfo.partyUInfo = u.span
      request.otherInfo.partyVInfo = v.span
      request.release = true
      try request.encode(into: &writer)
    }
  }

  static func seal(_ plaintext: [UInt8], aad: [UInt8] = [], handle: [UInt8] = []) throws -> [UInt8]
  {
    try encoded { (writer) throws(WireError) in
      var request = SealRequest()
      request.handle = handle.span
      request.plaintext = plaintext.span
      request.associatedData = aad.span
      try request.encode(into: &writer)
    }
  }

  static func unseal(_ sealed: [UInt8], aad: [UInt8] = [], handle: [UInt8] = [], iv: [UInt8] = [])
    throws -> [UInt8]
  {
    try encoded { (writer) throws(WireError) in
      var request = UnsealRequest()
      request.handle = handle.span
      request.iv = iv.span
      request.sealed = sealed.span
      request.associatedData = aad.span
      try request.encode(into: &writer)
    }
  }

  static func sign(_ scheme: SignatureChoice, _ message: [UInt8], digested: Bool = false) throws
    -> [UInt8]
  {
    try encoded { (writer) throws(WireError) in
      var request = SignRequest()
      request.scheme = scheme
      request.digested = digested
      request.message = message.span
      try request.encode(into: &writer)
    }
  }

  static func verify(
    _ scheme: SignatureChoice, _ message: [UInt8], _ signature: [UInt8], digested: Bool = false
  ) throws -> [UInt8] {
    try encoded { (writer) throws(WireError) in
      var request = VerifyRequest()
      request.scheme = scheme
      request.digested = digested
      request.message = message.span
      request.signature = signature.span
      try request.encode(into: &writer)
    }
  }

  static func mac(
    _ message: [UInt8], length: Int = 0, handle: [UInt8] = [], _ algorithm: MACChoice? = nil
  ) throws -> [UInt8] {
    try encoded { (writer) throws(WireError) in
      var request = MACRequest()
      request.handle = handle.span
      request.algorithm = algorithm
      request.length = length
      request.message = message.span
      try request.encode(into: &writer)
    }
  }

  static func verifyMAC(
    _ message: [UInt8], _ mac: [UInt8], length: Int = 0, handle: [UInt8] = [],
    _ algorithm: MACChoice? = nil
  ) throws -> [UInt8] {
    try encoded { (writer) throws(WireError) in
      var request = VerifyMACRequest()
      request.handle = handle.span
      request.algorithm = algorithm
      request.length = length
      request.message = message.span
      request.mac = mac.span
      try request.encode(into: &writer)
    }
  }

  static func unwrap(_ wrapped: [UInt8]) throws -> [UInt8] {
    try encoded { (writer) throws(WireError) in
      try UnwrapRequest(wrappedKey: wrapped.span).encode(into: &writer)
    }
  }

  static func release(_ handle: [UInt8]) throws -> [UInt8] {
    try encoded { (writer) throws(WireError) in
      try ReleaseHandleRequest(handle: handle.span).encode(into: &writer)
    }
  }

  private static func encoded(_ body: (inout MessageWriter) throws(WireError) -> Void) throws
    -> [UInt8]
  {
    var storage = [UInt8](repeating: 0, count: 80 * 1024)
    var writer = MessageWriter(storage.mutableSpan)
    try body(&writer)
    let count = writer.count
    return Array(storage.prefix(count))
  }
}

/// The one bytes field of a reply.
extension PrimitiveScene.Outcome {
  var handle: [UInt8] { get throws { try ECDHReply(MessageReader(body.span)).handle.array } }
  var sharedSecret: [UInt8] {
    get throws { try ECDHReply(MessageReader(body.span)).sharedSecret.array }
  }
  var derivedKey: [UInt8] { get throws { try KDFReply(MessageReader(body.span)).derivedKey.array } }
  var sealed: [UInt8] { get throws { try SealReply(MessageReader(body.span)).sealed.array } }
  var plaintext: [UInt8] {
    get throws { try UnsealReply(MessageReader(body.span)).plaintext.array }
  }
  var signature: [UInt8] { get throws { try SignReply(MessageReader(body.span)).signature.array } }
  var mac: [UInt8] { get throws { try MACReply(MessageReader(body.span)).mac.array } }
}

extension PrimitiveScene {
  /// A handle to a fresh shared secret of the agreement key.
  func sharedSecret(over table: HandleTable? = nil) throws -> [UInt8] {
    let peer = try PrivateKey.generate(.p256)
    return try ask(.ecdh, key(.agreement), Body.ecdh(peer.publicKey.point ?? []), over: table)
      .handle
  }

  /// A handle to a fresh derived key of 32 bytes.
  func derivedKey(over table: HandleTable? = nil) throws -> [UInt8] {
    try ask(.kdf, key(.agreement), Body.kdf(sharedSecret(over: table)), over: table).handle
  }
}
