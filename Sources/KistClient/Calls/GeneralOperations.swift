package import Format

extension Client {
  /// Asks whether the daemon answers; needs no grant and leaves no audit record.
  public func ping() throws(ClientError) { _ = try call(.ping) }

  /// Returns if the daemon serves requests now; needs no grant and leaves no audit record
  /// [OP-READY-1].
  ///
  /// - Throws: `ClientError.refused` with the status that any other request would get now:
  ///   `locked`, `audit-unavailable` or `internal`.
  public func ready() throws(ClientError) { _ = try call(.ready) }

  /// What the daemon is.
  public func describe() throws(ClientError) -> DaemonDescription {
    DaemonDescription(try DescribeReply(try call(.describe)))
  }

  /// Who this caller is to the daemon, and what it may do now.
  public func who() throws(ClientError) -> CallerRights {
    CallerRights(try WhoReply(try call(.who)))
  }

  /// The keyed digest that stands for a transaction, a PAN or a subject of codes in the audit log,
  /// for `kist audit show --digest`.
  ///
  /// - Parameter value: 32 bytes of a transaction identifier, a PAN's ASCII digits, or a subject of
  ///   up to 128 bytes.
  public func auditDigest(_ field: AuditDigestField, of value: Span<UInt8>) throws(ClientError)
    -> String
  {
    var request = AuditDigestRequest()
    request.field = field.wire
    request.value = value
    return try AuditDigestReply(try call(.auditDigest, request)).digest
  }

  /// One key, with its public key and certificate.
  ///
  /// - Parameter id: 16 bytes.
  public func describeKey(_ id: [UInt8]) throws(ClientError) -> Key {
    Key(try KeyDescription(try call(.describeKey, key: id)))
  }

  /// Random bytes from the daemon's kernel.
  ///
  /// - Parameter count: 1 to 1024 bytes.
  public func random(_ count: Int) throws(ClientError) -> [UInt8] {
    let reply = try call(.random, RandomRequest(count: count))
    return try RandomReply(reply).random.array
  }
}

/// What a daemon is and can do.
public struct DaemonDescription: Hashable, Sendable {
  public let productVersion: String
  public let wireVersion: Int
  public let operations: [String]
  /// Requests that may be in flight on one connection.
  public let inFlight: Int
  /// Whether the daemon is a sandbox.
  public let rehearsal: Bool

  init(_ reply: DescribeReply) {
    productVersion = reply.productVersion
    wireVersion = Int(reply.wireVersion)
    operations = reply.operations.map(\.name)
    inFlight = Int(reply.inFlight)
    rehearsal = reply.rehearsal
  }
}

/// A kind of value that the audit log has only as a keyed digest.
public enum AuditDigestField: Hashable, Sendable {
  case transaction, pan, subject

  var wire: DigestField {
    switch self {
    case .transaction: .transaction
    case .pan: .pan
    case .subject: .subject
    }
  }
}

/// The public description of a key; the key itself never leaves the daemon.
public struct Key: Hashable, Sendable {
  /// 16 bytes.
  public let id: [UInt8]
  public let label, role, state, algorithm, usage, merchantIdentifier: String
  /// SubjectPublicKeyInfo, empty in a listing.
  public let publicKey: [UInt8]
  /// SHA-256 of the SubjectPublicKeyInfo, or the 5-byte KCV of a symmetric key.
  public let checkValue: [UInt8]
  /// DER, empty in a listing.
  public let certificate: [UInt8]
  /// Seconds since 1970; nil if there is none.
  public let created, activated, notBefore, notAfter, lastUse: Int64?
  public let uses: UInt64
  /// Nil for any number of uses.
  public let useLimit: UInt64?
  /// Whether operators may send the key to another HSM.
  public let isExportable: Bool

  package init(_ key: KeyDescription) {
    id = key.id
    label = key.label
    role = key.role
    state = key.state
    algorithm = key.algorithm
    usage = key.usage
    merchantIdentifier = key.merchantIdentifier
    publicKey = key.publicKey
    checkValue = key.checkValue
    certificate = key.certificate
    uses = key.uses
    isExportable = key.exportable
    func moment(_ seconds: UInt64) -> Int64? { seconds == 0 ? nil : Int64(clamping: seconds) }
    created = moment(key.created)
    activated = moment(key.activated)
    notBefore = moment(key.notBefore)
    notAfter = moment(key.notAfter)
    lastUse = moment(key.lastUse)
    useLimit = key.useLimit == 0 ? nil : key.useLimit
  }
}

/// Who a caller is to the daemon, and what it may do.
public struct CallerRights: Hashable, Sendable {
  /// What one grant gives.
  public struct Grant: Hashable, Sendable {
    public let id: String
    public let operations: [String]
    /// Labels, and prefixes that end in `*`.
    public let keys: [String]
    /// Fields of tokens and secrets of primitives.
    public let released: [String]
    /// Whether the caller learns at which check it was rejected.
    public let showsStage: Bool
    /// Such as `200/s`; nil if there is none.
    public let rate, quota, keyQuota: String?
    /// Seconds since 1970; nil if the grant does not end.
    public let until: Int64?
    /// Hours of UTC such as `mon-fri 08:00-18:00`; empty for all.
    public let hours: [String]

    init(_ right: Right) {
      func stated(_ text: String) -> String? { text.isEmpty ? nil : text }
      id = right.grant
      operations = right.operations
      keys = right.keys
      released = right.released
      showsStage = right.stages
      hours = right.hours
      rate = stated(right.rate)
      quota = stated(right.quota)
      keyQuota = stated(right.keyQuota)
      until = right.until == 0 ? nil : Int64(clamping: right.until)
    }
  }

  public let uid, gid: UInt32
  /// The systemd unit that the daemon sees; nil for none.
  public let unit: String?
  /// The grants in force now, in the order in which they decide.
  public let grants: [Grant]
  /// Whether something did not fit the reply.
  public let isCut: Bool

  package init(_ reply: WhoReply) {
    uid = reply.uid
    gid = reply.gid
    unit = reply.unit.isEmpty ? nil : reply.unit
    grants = reply.rights.map(Grant.init)
    isCut = reply.more
  }
}
