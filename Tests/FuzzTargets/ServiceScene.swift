import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Review
import Service
import ServiceHarness
import TestSupport

/// A service with a key of every role, whose caller may do everything.
final class ServiceScene {
  let service: TestService
  private var requests = 0
  private var isLocked = false

  /// In a request's body, the handle that the connection was given last.
  static let placeholder = [UInt8](repeating: 0xA5, count: 16)

  init() throws {
    service = try TestService(
      on: Self.disk.get().afterCrash(.keepsUnsynced), grants: [try Self.everything()],
      segmentSize: 64 << 10)
    try service.unlock()
  }

  /// Whether it should make room for a new one: the log grows, keys were imported or the store was
  /// locked.
  var isUsedUp: Bool { requests > 4000 || isLocked }

  /// - Returns: the handle in the reply, where it has one.
  func ask(_ opcode: Opcode, keyIndex: Int, _ body: [UInt8], over connection: HandleTable) throws
    -> [UInt8]?
  {
    requests += 1
    let row = OperationRow.row(for: opcode.rawValue)
    let reply = try service.call(
      opcode, key: try Self.key(at: keyIndex), body: body, on: row?.socket ?? .services,
      handles: connection)
    isLocked = isLocked || reply.header.status == .locked || opcode == .lock
    try promise(
      reply.header.opcode == opcode.rawValue && reply.header.requestID == 7,
      "a reply to another request")
    switch reply.header.status {
    case .ok: try checkBody(reply.body, of: opcode)
    case .rejected: _ = try Self.decode("Rejection", reply.body)
    case .approvalNeeded: _ = try Self.decode("ApprovalNeeded", reply.body)
    case .internal, .auditUnavailable:
      throw BrokenPromise(description: "\(opcode.name) answers \(reply.header.status.name)")
    case .malformed: if !reply.body.isEmpty { _ = try Self.decode("Malformation", reply.body) }
    case .busy: if !reply.body.isEmpty { _ = try Self.decode("Busy", reply.body) }
    case .denied, .locked, .unsupported:
      try promise(reply.body.isEmpty, "\(reply.header.status.name) says more than its status")
    }
    guard reply.header.status == .ok, [.ecdh, .kdf, .unwrap].contains(opcode) else { return nil }
    let fields = try Self.decode(Self.messageName(opcode, "Reply"), reply.body).fields
    return fields.first { $0.hasPrefix("handle = hex:") }.flatMap {
      Hex.decode($0.dropFirst("handle = hex:".count))
    }
  }

  /// Every record is in its place, whatever was asked.
  func verifyLog() throws {
    guard !isLocked else { return }
    let verdict = LogVerifier(try NoteVerifier(vkey: try verifierKey())).verify(
      service.service.settings.log
    ).verdict
    try promise(verdict == .good, "the log does not verify: \(verdict)")
  }

  private func verifierKey() throws -> String {
    let reply = try service.call(.status, on: .operators)
    return try StatusReport(MessageReader(reply.body.span)).auditVerifierKey
  }

  private func checkBody(_ body: [UInt8], of opcode: Opcode) throws {
    let name = Self.messageName(opcode, "Reply")
    guard Schema.messages.contains(where: { $0.name == name }) else {
      return try promise(body.isEmpty, "\(opcode.name) has a body of no message")
    }
    try promise(try Self.decode(name, body).bytes == body, "\(name) encodes to other bytes")
  }

  private static func decode(_ name: String, _ body: [UInt8]) throws -> Decoded {
    do { return try Decoded(.message(name), body) } catch {
      throw BrokenPromise(description: "a reply is no \(name): \(error)")
    }
  }
}

extension ServiceScene {
  /// The message of an operation's request or reply: `EcdhRequest` for `ecdh`.
  static func messageName(_ opcode: Opcode, _ kind: String) -> String {
    switch (opcode, kind) {
    case (.status, "Reply"): "StatusReport"
    case (.submitShare, "Reply"), (.shareProgress, "Reply"): "ShareProgressReply"
    case (.describeKey, "Reply"), (.importKey, "Reply"), (.generateKey, "Reply"),
      (.attachCertificate, "Reply"):
      "KeyDescription"
    case (.activateKey, "Reply"), (.retireKey, "Reply"), (.compromiseKey, "Reply"),
      (.suspendKey, "Reply"), (.resumeKey, "Reply"), (.destroyKey, "Reply"):
      "KeyDescription"
    default:
      opcode.name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        + kind
    }
  }

  /// No key, a key nobody has, then the store's.
  static func key(at index: Int) throws -> KeyID {
    let ids = [KeyID.none, KeyID(high: 1, low: 1)] + (try keys.get().map(\.id))
    return ids[index % ids.count]
  }

  /// Which bytes name keys that serve an operation; that of no key where it needs none.
  static func keyIndices(serving opcode: Opcode) throws -> [Int] {
    let indices = try keys.get().indices.filter {
      try keys.get()[$0].role.serves(opcode) || keys.get()[$0].role.servesHandles(opcode)
    }
    return indices.isEmpty ? [0] : indices.map { $0 + 2 }
  }

  private static func everything() throws -> Rule {
    try Rule(
      id: "everything", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: Set(Opcode.grantable),
      keys: [.prefix("")], released: .nameable, sealed: .sealable,
      secrets: ReleasedSecrets(ReleasedSecret.allCases),
      showsStage: true,
      quota: Quota("1000000000/d"))
  }

  /// Made once: RSA keys take long.
  private static let disk = Result {
    var disk: SimulatedDisk?
    do {
      let service = try TestService { store in
        for role in KeyRole.allCases where !role.isInternal {
          _ = try store.importKey(request(role), at: TestService.start, anchor: .beginning)
        }
      }
      disk = service.disk
    }
    guard let disk else { throw BrokenPromise(description: "no disk") }
    return disk
  }

  /// In the order of their labels, which is the same in every run.
  private static let keys = Result {
    var records: [KeyRecord] = []
    _ = try TestService(on: disk.get().afterCrash(.keepsUnsynced)) { store in
      records = store.records.filter { !$0.role.isInternal }.sorted {
        $0.label.text < $1.label.text
      }
    }
    return records
  }

  private static func request(_ role: KeyRole) throws -> KeyImport {
    guard let label = KeyLabel("key/" + role.rawValue) else {
      throw BrokenPromise(description: "\(role) is no label")
    }
    return KeyImport(
      label: label, role: role, material: try material(role),
      merchant: role.isMerchant ? MerchantIdentifier("merchant.com.example") : nil,
      notAfter: role.isPublic ? TestService.start.adding(seconds: 1_000_000) : nil,
      otp: attributes(role))
  }

  private static func material(_ role: KeyRole) throws -> KeyMaterial {
    switch role {
    case .merchantProcessingEC, .agreement, .signingECDSA: .privateKey(try .generate(.p256))
    case .merchantProcessingRSA, .merchantIdentityRSA, .signingRSA, .unwrappingRSA, .otpMastercard:
      .privateKey(try .generate(.rsa(bits: 2048)))
    case .partnerEncryptionEC: .publicKey(try PrivateKey.generate(.p256).publicKey)
    case .partnerEncryptionRSA: .publicKey(try PrivateKey.generate(.rsa(bits: 2048)).publicKey)
    case .signingEd25519, .auditSigning: .privateKey(try .generate(.ed25519))
    case .macHMACSHA384: .symmetric(try Random.secret(count: 48))
    case .macHMACSHA512: .symmetric(try Random.secret(count: 64))
    case .otpVisa, .keyExchangeTDEA: .symmetric(try SecretBuffer(copying: tripleDES.span))
    case .otpHOTP, .otpTOTP: .symmetric(try Random.secret(count: 20))
    case .auditDigest, .sealing, .unsealing, .macHMACSHA256, .macCMAC, .keyExchange, .surrogate,
      .fleet, .partnerEncryptionAES:
      .symmetric(try Random.secret(count: 32))
    }
  }

  /// Two different halves of odd parity.
  private static let tripleDES =
    [UInt8](repeating: 0x01, count: 8) + [UInt8](repeating: 0x02, count: 8)

  private static func attributes(_ role: KeyRole) -> OTPAttributes? {
    switch role.otpKind {
    case .visa: .visa(keySet: "123456.1")
    case .mastercard: .mastercard(alias: "alias")
    case .counter: OTPCode(step: nil, window: 10).map { .code($0) }
    case .time: OTPCode(step: 30, window: 1).map { .code($0) }
    case nil: nil
    }
  }
}
