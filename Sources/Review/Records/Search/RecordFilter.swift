package import Audit
package import Crypto
package import Format
package import Policy

/// Selects the records that meet every condition that is set.
package struct RecordFilter: Hashable, Sendable {
  package var since: Timestamp?
  /// The first moment that no longer matches.
  package var until: Timestamp?
  package var user: UserCondition?
  package var unit: String?
  package var operation: String?
  package var key: KeyCondition?
  package var grant: String?
  package var result: String?
  package var stage: String?
  /// Of a transaction or an account number.
  package var digest: KeyedDigest?
  /// By which a fleet's hosts claimed a token or code.
  package var claim: Digest256?
  /// The caller's id of the request.
  package var request: RequestName?

  /// Of the caller, or of the account that its uid belongs to.
  package enum UserCondition: Hashable, Sendable {
    case number(UInt32)
    /// As the daemon found it: what another machine calls the number says nothing.
    case name(String)

    func covers(_ actor: Record.Actor) -> Bool {
      switch self {
      case .number(let uid): actor.uid == Int64(uid) || actor.owner == Int64(uid)
      case .name(let name): actor.name == name || actor.ownerName == name
      }
    }
  }

  package enum KeyCondition: Hashable, Sendable {
    case id(KeyID)
    case label(KeyPattern)
  }

  package init() {}

  package func covers(_ record: Record) -> Bool {
    if let since, record.time < since { return false }
    if let until, record.time >= until { return false }
    if let user, !(record.actor.map(user.covers) ?? false) { return false }
    if let unit, record.actor?.unit != unit { return false }
    if let operation, record.operation != operation { return false }
    if let grant, record.policy?.grant != grant { return false }
    if let result, record.result != result { return false }
    if let stage, record.stage != stage { return false }
    if let request, record.request != request.number { return false }
    if let claim, record.inputs.claim != claim, record.eventText("claim") != claim.hex {
      return false
    }
    if let digest, record.inputs.transaction != digest, record.inputs.pan != digest { return false }
    switch key {
    case .id(let id): return record.key == id || record.furtherKeys.contains(id)
    case .label(let pattern): return record.label.map(pattern.covers) ?? false
    case nil: return true
    }
  }
}

/// How a person names a request: by its id, 16 digits, or by a text that stands for one, such as an
/// HTTP request's `X-Request-Id`.
///
/// The Python client makes the same number of the same text: 16 hexadecimal digits are the number,
/// unless that is zero, which no client sends by itself; of any other text it is the first 8 bytes
/// of SHA-256.
package struct RequestName: Hashable, Sendable {
  package let number: UInt64

  package init(_ text: String) {
    let digits =
      text.utf8.count == 16 ? Hex.decode(text).map { UInt64(bigEndian: $0.span, at: 0) } : nil
    number =
      digits.flatMap { $0 == 0 ? nil : $0 }
      ?? UInt64(bigEndian: SHA256.hash(Array(text.utf8)).bytes.span, at: 0)
  }
}

/// A `RecordFilter` that skips most lines without parsing them.
///
/// Lines are canonical, so each value of a text member has exactly one spelling. A line without
/// these bytes cannot match; a line with them may match, and is parsed.
package struct LineFilter: Sendable {
  private let filter: RecordFilter
  private let needles: [[UInt8]]
  private let times: (since: [UInt8]?, until: [UInt8]?)

  package init(_ filter: RecordFilter) {
    self.filter = filter
    needles = filter.texts.map { Array($0.utf8) }
    times = (
      filter.since.map { Array($0.description.utf8) },
      filter.until.map { Array($0.description.utf8) }
    )
  }

  /// The record, if it matches.
  ///
  /// - Throws: `CanonicalJSONError` for a line that may match and is no record.
  package func record(in line: Span<UInt8>) throws(CanonicalJSONError) -> Record? {
    guard mayCover(line) else { return nil }
    let record = try Record(parsing: line)
    return filter.covers(record) ? record : nil
  }

  private func mayCover(_ line: Span<UInt8>) -> Bool {
    guard isInTime(line) else { return false }
    return needles.allSatisfy { ByteSearch.contains($0, in: line) }
  }

  /// Whether the time is in the range, or is not where this version writes it, which is just before
  /// the version.
  private func isInTime(_ line: Span<UInt8>) -> Bool {
    let start = line.count - Self.tail.count - Self.timeLength
    guard times.since != nil || times.until != nil, start >= Self.head.count,
      Self.stand(Self.tail, in: line, at: line.count - Self.tail.count),
      Self.stand(Self.head, in: line, at: start - Self.head.count)
    else { return true }
    let time = line.extracting(start..<start + Self.timeLength)
    if let since = times.since, Self.precedes(time, since) { return false }
    if let until = times.until, !Self.precedes(time, until) { return false }
    return true
  }

  private static let head = Array(#""ts":""#.utf8)
  private static let tail = Array(#"","v":1}"#.utf8)
  private static let timeLength = 27

  private static func stand(_ bytes: [UInt8], in line: Span<UInt8>, at start: Int) -> Bool {
    for i in bytes.indices where line[start + i] != bytes[i] { return false }
    return true
  }

  /// Compares bytes, which for times of the same length is the order of time.
  private static func precedes(_ a: Span<UInt8>, _ b: [UInt8]) -> Bool {
    for i in 0..<a.count where a[i] != b[i] { return a[i] < b[i] }
    return false
  }
}

extension RecordFilter {
  /// Texts that every matching line contains, the rarest first.
  fileprivate var texts: [String] {
    var texts: [String] = []
    if let request { texts.append(Self.member("req", Hex.encode(request.number.bigEndianBytes))) }
    if let claim { texts.append(Self.member("claim", claim.hex)) }
    if let digest { texts.append(digest.text) }
    switch key {
    case .id(let id): texts.append(Hex.encode(id.bytes))
    case .label(let pattern): texts.append(Self.text(pattern))
    case nil: break
    }
    if let stage { texts.append(Self.member("stage", stage)) }
    if let unit { texts.append(Self.member("unit", unit)) }
    switch user {
    // The uid's member or the owner's.
    case .number(let uid): texts.append("\":\(uid)")
    case .name(let name): texts.append(String(Self.member("name", name).dropFirst()))
    case nil: break
    }
    if let grant { texts.append(Self.member("grant", grant)) }
    if let result { texts.append(Self.member("result", result)) }
    if let operation { texts.append(Self.member("op", operation)) }
    return texts
  }

  private static func text(_ pattern: KeyPattern) -> String {
    switch pattern {
    case .label(let label): member("label", label)
    case .prefix(let prefix): String(member("label", prefix).dropLast())
    }
  }

  private static func member(_ name: String, _ value: String) -> String {
    "\"\(name)\":" + String(decoding: CanonicalJSON.string(value).serialised, as: UTF8.self)
  }
}
