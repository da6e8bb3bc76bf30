import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy

/// A snapshot of the replay guards, the openings that can be repeated and the quotas at a place in
/// the log, so that a start reads only later records. [KS-RECOLLECTION]
///
/// `u32 length ‖ canonical JSON of that length ‖ openings ‖ HMAC-SHA-256 (32)`; an opening is its
/// digest (32) and its signing time in seconds (8), big-endian; those of envelopes follow those of
/// tokens. Then come the openings that can be repeated: the request's digest (32), the time of the
/// opening in seconds (8) and its record's sequence (8). Believed only if the HMAC is the store's
/// and the log has the same root at the same size.
struct RecollectionFile {
  let anchor: AuditAnchor
  /// SHA-256 of the policy whose quotas are counted.
  let policy: Digest256
  /// Of tokens, and of envelopes that open once.
  let openings, envelopes: ReplayGuard.Contents
  let repeatable: [RepeatableOpenings.Request: RepeatableOpenings.First]
  let quotas: [QuotaCounter.Entry]
  /// Openings that are to be claimed.
  let local: [LocalOpenings.Entry]

  private static let format = "kist-recollection/v1"
  private static let (macCount, openingCount, repeatableCount) = (32, 40, 48)

  /// How many openings and quotas it has.
  var count: Int {
    openings.count + envelopes.count + repeatable.count + quotas.count + local.count
  }

  /// The file's bytes.
  func serialised(_ keys: KeyStore) throws(CryptoError) -> [UInt8] {
    let header = header.serialised
    let headerEnd = 4 + header.count
    let count =
      (openings.count + envelopes.count) * Self.openingCount + repeatable.count
      * Self.repeatableCount
    var bytes = [UInt8](repeating: 0, count: 4) + header + [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    span.store(UInt32(header.count), at: 0)
    var place = headerEnd
    for (digest, signed) in (openings.openings + envelopes.openings).joined() {
      span.copy(digest.value.span, at: place)
      span.store(signed, at: place + 32)
      place += Self.openingCount
    }
    for (digest, first) in repeatable {
      span.copy(digest.value.span, at: place)
      span.store(first.opened, at: place + 32)
      span.store(first.sequence, at: place + 40)
      place += Self.repeatableCount
    }
    return try bytes + keys.authenticator(ofRecollection: bytes.span).bytes
  }
}

extension RecollectionFile {
  /// Nil for bytes that this store did not write.
  init?(_ bytes: [UInt8], _ keys: KeyStore) {
    guard bytes.count >= 4 + Self.macCount else { return nil }
    let body = bytes.span.extracting(first: bytes.count - Self.macCount)
    let mac = bytes.span.extracting(droppingFirst: bytes.count - Self.macCount)
    guard let expected = try? keys.authenticator(ofRecollection: body),
      ConstantTime.equal(expected.span, mac)
    else { return nil }
    let headerEnd = 4 + Int(UInt32(bigEndian: body, at: 0))
    guard headerEnd <= body.count else { return nil }
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(
        try CanonicalJSON(parsing: body.extracting(4..<headerEnd), byteLimit: headerEnd))
      guard try fields.string("format") == Self.format else { return nil }
      policy = try fields.string("policy", as: Digest256.init(hex:))
      let root = try fields.string("root", as: Digest256.init(hex:))
      anchor = AuditAnchor(size: try fields.number("size"), root: root)
      let entries = try fields.array("quotas")
      var rest = body.extracting(droppingFirst: headerEnd)
      guard
        let again = Self.cut(try fields.integer("repeatable"), Self.repeatableCount, off: &rest),
        let ofEnvelopes = Self.cut(try fields.integer("envelopes"), Self.openingCount, off: &rest),
        rest.count % Self.openingCount == 0,
        let tokens = Self.openings(rest), let used = Self.openings(ofEnvelopes),
        let repeatable = Self.repeatable(again)
      else { return nil }
      self.repeatable = repeatable
      openings = ReplayGuard.Contents(floor: try fields.integer("floor"), openings: [tokens])
      envelopes = ReplayGuard.Contents(
        floor: try fields.integer("envelope_floor"), openings: [used])
      local =
        try fields.optional("local").map { (json) throws(CanonicalJSONError) in
          try LocalOpenings.Entry.list(json)
        } ?? []
      var quotas: [QuotaCounter.Entry] = []
      for entry in entries { quotas.append(try QuotaCounter.Entry(entry)) }
      self.quotas = quotas
      try fields.end()
    } catch { return nil }
  }

  /// Takes the last `count` elements of `size` bytes off; nil if there are not so many.
  @_lifetime(copy rest)
  private static func cut(_ count: Int64, _ size: Int, off rest: inout Span<UInt8>) -> Span<UInt8>?
  {
    guard (0...Int64(rest.count / size)).contains(count) else { return nil }
    let place = rest.count - Int(count) * size
    defer { rest = rest.extracting(first: place) }
    return rest.extracting(droppingFirst: place)
  }

  private static func openings(_ bytes: Span<UInt8>) -> [KeyedDigest: Int64]? {
    var found: [KeyedDigest: Int64] = [:]
    found.reserveCapacity(bytes.count / openingCount)
    for place in stride(from: 0, to: bytes.count, by: openingCount) {
      guard let digest = Digest256(bytes.extracting(place..<place + 32).array) else { return nil }
      found[KeyedDigest(digest)] = Int64(bigEndian: bytes, at: place + 32)
    }
    return found
  }

  private static func repeatable(_ bytes: Span<UInt8>) -> [RepeatableOpenings.Request:
    RepeatableOpenings.First]?
  {
    var found: [RepeatableOpenings.Request: RepeatableOpenings.First] = [:]
    for place in stride(from: 0, to: bytes.count, by: repeatableCount) {
      guard let digest = Digest256(bytes.extracting(place..<place + 32).array) else { return nil }
      let opened = Int64(bigEndian: bytes, at: place + 32)
      found[KeyedDigest(digest)] = RepeatableOpenings.First(
        sequence: UInt64(bigEndian: bytes, at: place + 40), opened: opened)
    }
    return found
  }

  private var header: CanonicalJSON {
    [
      "envelope_floor": envelopes.floor, "envelopes": envelopes.count, "floor": openings.floor,
      "format": Self.format,
      // Written only where there are any, so that what a host in no fleet writes stays as it was.
      "local": local.isEmpty ? nil : local.map(\.json),
      "policy": policy.hex, "quotas": quotas.map(\.json),
      "repeatable": repeatable.count,
      "root": anchor.root.hex, "size": anchor.size,
    ]
  }
}

extension QuotaCounter.Entry {
  fileprivate var json: CanonicalJSON {
    let name =
      switch subject {
      case .user(let uid): "user \(uid)"
      case .key(let id): "key " + Hex.encode(id.bytes)
      case nil: "everybody"
      }
    return [
      "carried": isCarried, "count": count, "grant": grant, "number": number,
      "period": String(period.rawValue), "subject": name,
    ]
  }

  fileprivate init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    let count = try fields.integer("count")
    let grant = try fields.string("grant")
    let number = try fields.integer("number")
    let isCarried = try fields.required("carried").asBool()
    guard let period = try fields.string("period").first.flatMap(Quota.Period.init) else {
      throw .schema
    }
    let words = try fields.string("subject").split(separator: " ")
    guard let kind = words.first, let value = words.last else { throw .schema }
    let subject: QuotaCounter.Subject?
    switch kind {
    case "user":
      guard let uid = UInt32(value) else { throw .schema }
      subject = .user(uid)
    case "key":
      guard let bytes = Hex.decode(Array(value.utf8).span), let id = KeyID(prefixOf: bytes.span)
      else { throw .schema }
      subject = .key(id)
    case "everybody": subject = nil
    default: throw .schema
    }
    try fields.end()
    self.init(
      grant: grant, subject: subject, period: period, number: number, count: count,
      isCarried: isCarried)
  }
}

extension LocalOpenings.Entry {
  fileprivate var json: CanonicalJSON {
    [
      "claim": Digest256(claim.digest).hex, "day": claim.day,
      "retry": Digest256(claim.retryDigest).hex, "sequence": sequence,
    ]
  }

  fileprivate static func list(_ json: CanonicalJSON) throws(CanonicalJSONError) -> [LocalOpenings
    .Entry]
  {
    guard case .array(let elements) = json else { throw .schema }
    var entries: [LocalOpenings.Entry] = []
    for element in elements { entries.append(try LocalOpenings.Entry(element)) }
    return entries
  }

  private init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    let claim = try fields.string("claim", as: Digest256.init(hex:))
    let retry = try fields.string("retry", as: Digest256.init(hex:))
    self.init(
      claim, retry: retry, day: try fields.number("day"), try fields.number("sequence"))
    try fields.end()
  }
}

/// Saves what the replay guards and the quotas know, so that the next start need not read it from
/// the log.
struct RecollectionNotes: Sendable {
  let keys: KeyStore
  let opened: ReplaySnapshot.Opened
  let limits: UseLimits
  let rules: RulesInForce
  let state: StateDirectory

  /// A snapshot of what has a record; to be taken only while nothing is committed.
  func taken(at anchor: AuditAnchor) -> RecollectionFile {
    RecollectionFile(
      anchor: anchor, policy: rules.snapshot.policyHash, openings: opened.replays.contents,
      envelopes: opened.envelopes.contents, repeatable: opened.repeatable.contents,
      quotas: limits.quotas.entries, local: opened.local.all)
  }

  /// Ignores errors: without the file, the next start reads the log.
  func write(_ file: RecollectionFile) {
    guard let bytes = try? file.serialised(keys) else { return }
    try? state.write(.recollection, bytes)
  }
}
