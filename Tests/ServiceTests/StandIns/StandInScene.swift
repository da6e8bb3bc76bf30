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

/// A service with keys of both roles that make what stands in for PANs, and one that has nothing to
/// do with it.
final class StandInScene {
  let service: TestService
  private var ids: [String: KeyID] = [:]

  static let acme = "merchant.com.acme"
  static let pan = "4109370251004320"
  static let transaction = [UInt8](repeating: 0x2A, count: 32)

  /// - Parameters:
  ///   - tokenises, detokenises: the user ids that may; the latter may open envelopes, too.
  ///   - audits: those that may ask for two digests a day.
  ///   - keys: what both of them name.
  ///   - retired: labels of keys that are retired from the start.
  ///   - format: of the surrogates of `acme`.
  init(
    tokenises: [UInt32] = [1000], detokenises: [UInt32] = [1000], audits: [UInt32] = [],
    keys: [String] = ["pan/*"], retired: [String] = [],
    format: SurrogateFormat = .usual
  ) throws {
    func rule(_ id: String, _ users: [UInt32], _ opcode: Opcode, _ released: ReleasedFields) throws
      -> [Rule]
    {
      guard !users.isEmpty else { return [] }
      return [
        try Rule(
          id: id, callers: CallerRule(users: users.map { Principal(id: $0) }), operations: [opcode],
          keys: keys.compactMap { KeyPattern($0) },
          released: released, showsStage: true, rate: Rate(1000, per: .second))
      ]
    }
    let search = try audits.map {
      try Rule(
        id: "search", callers: CallerRule(users: [Principal(id: $0)]), operations: [.auditDigest],
        showsStage: true, quota: Quota("2/d"))
    }
    let dpan = ReleasedFields([.dpan])
    let grants =
      try search + rule("make", tokenises, .tokenise, [])
      + rule("undo", detokenises, .detokenise, dpan)
      + rule("open", detokenises, .openEnvelope, dpan)
    var ids: [String: KeyID] = [:]
    let merchant = StandInKeys.Merchant(surrogateKey: nil, surrogateFormat: format, envelopes: nil)
    service = try TestService(
      grants: grants, standInKeys: StandInKeys(merchants: [Self.acme: merchant])
    ) { store in
      for (name, role) in [
        ("pan/surrogate", .surrogate), ("pan/other-surrogate", .surrogate),
        ("pan/envelope", .sealing), ("pan/other-envelope", .sealing),
        ("pan/mac", .macCMAC),
      ] as [(String, KeyRole)] { ids[name] = try store.take(name, role) }
      for name in retired {
        try store.setState(
          .retired, of: ids[name] ?? .none, at: TestService.start, anchor: .beginning)
      }
    }
    self.ids = ids
    try service.unlock()
  }

  /// `ok` with the one value that the reply has, a status, or the stage of a rejection.
  enum Outcome: Equatable {
    case ok([UInt8])
    case refused(String)

    static func text(_ text: String) -> Outcome { .ok(Array(text.utf8)) }
    var bytes: [UInt8]? { if case .ok(let bytes) = self { bytes } else { nil } }
    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
  }

  func surrogate(
    of pan: String = pan, for merchant: String = acme, key: String = "pan/surrogate",
    by uid: UInt32 = 1000
  ) throws -> Outcome {
    try tokenise(pan, merchant, [], 0, key, uid)
  }

  func envelope(
    of pan: String = pan, for merchant: String = acme, transaction: [UInt8] = transaction,
    lifetime: UInt32 = 60, key: String = "pan/envelope",
    by uid: UInt32 = 1000
  ) throws -> Outcome {
    try tokenise(pan, merchant, transaction, lifetime, key, uid)
  }

  func pan(
    ofSurrogate surrogate: String, for merchant: String = acme, key: String = "pan/surrogate",
    by uid: UInt32 = 1000
  ) throws -> Outcome {
    let digits = Array(surrogate.utf8)
    let body = try bytes { (writer) throws(WireError) in
      var request = DetokeniseRequest()
      request.surrogate = digits.span
      request.merchantIdentifier = merchant
      try request.encode(into: &writer)
    }
    return try ask(.detokenise, key, body, uid) { body in
      try DetokeniseReply(MessageReader(body)).pan.array
    }
  }

  func pan(
    ofEnvelope envelope: [UInt8], for merchant: String = acme, transaction: [UInt8] = transaction,
    key: String = "pan/envelope",
    by uid: UInt32 = 1000
  ) throws -> Outcome {
    let body = try bytes { (writer) throws(WireError) in
      var request = OpenEnvelopeRequest()
      request.envelope = envelope.span
      request.merchantIdentifier = merchant
      request.transactionID = transaction.span
      try request.encode(into: &writer)
    }
    return try ask(.openEnvelope, key, body, uid) { body in
      try OpenPaymentTokenReply(MessageReader(body)).dpan.array
    }
  }

  func digest(_ field: DigestField, _ value: [UInt8], by uid: UInt32) throws -> Outcome {
    let body = try bytes { (writer) throws(WireError) in
      var request = AuditDigestRequest()
      request.field = field
      request.value = value.span
      try request.encode(into: &writer)
    }
    return try ask(.auditDigest, nil, body, uid) { body in
      Array(try AuditDigestReply(MessageReader(body)).digest.utf8)
    }
  }

  func id(_ name: String) -> KeyID { ids[name] ?? KeyID(high: 1, low: 1) }

  func records() throws -> [Record] {
    var records: [Record] = []
    try LogReader(LogDirectory("/audit", on: service.disk)).forEachRecord { record, _ in
      records.append(record)
      return true
    }
    return records
  }

  /// Every file of the audit log, as text.
  func logText() throws -> String {
    try service.disk.list("/audit").map {
      String(decoding: service.disk.contents("/audit/" + $0) ?? [], as: UTF8.self)
    }.joined()
  }

  private func tokenise(
    _ pan: String, _ merchant: String, _ transaction: [UInt8], _ lifetime: UInt32, _ key: String,
    _ uid: UInt32
  ) throws -> Outcome {
    let pan = Array(pan.utf8)
    let body = try bytes { (writer) throws(WireError) in
      var request = TokeniseRequest()
      request.pan = pan.span
      request.merchantIdentifier = merchant
      request.transactionID = transaction.span
      request.lifetime = lifetime
      try request.encode(into: &writer)
    }
    return try ask(.tokenise, key, body, uid) { body in
      let reply = try TokeniseReply(MessageReader(body))
      return reply.surrogate.isEmpty ? reply.envelope.array : reply.surrogate.array
    }
  }

  private func ask(
    _ opcode: Opcode, _ key: String?, _ body: [UInt8], _ uid: UInt32,
    _ value: (Span<UInt8>) throws -> [UInt8]
  ) throws -> Outcome {
    let reply = try service.call(
      opcode, key: key.map(id) ?? .none, body: body, from: Caller(uid: uid, gid: uid, pid: 1))
    switch reply.header.status {
    case .ok: return .ok(try value(reply.body.span))
    case .rejected: return .refused(try Rejection(MessageReader(reply.body.span)).stage.name)
    default:
      guard reply.body.isEmpty else { throw WireError.trailingBytes }
      return .refused(reply.header.status.name)
    }
  }

  private func bytes(_ write: (inout MessageWriter) throws(WireError) -> Void) throws -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: 1024)
    var writer = MessageWriter(storage.mutableSpan)
    try write(&writer)
    let count = writer.count
    return Array(storage.prefix(count))
  }
}

extension KeyStore {
  fileprivate func take(_ name: String, _ role: KeyRole) throws -> KeyID {
    guard let label = KeyLabel(name) else { throw KeyStoreError.importRefused(.labelTaken) }
    let material = KeyMaterial.symmetric(try Random.secret(count: 32))
    return try importKey(
      KeyImport(label: label, role: role, material: material), at: TestService.start,
      anchor: .beginning
    ).id
  }
}
