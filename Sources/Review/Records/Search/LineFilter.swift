package import Audit
internal import Crypto
package import Format
internal import Policy

/// A `RecordFilter` that skips most lines without parsing them.
///
/// Lines are canonical, so each value of a text member has exactly one spelling. A line without these bytes
/// cannot match; a line with them may match, and is parsed.
package struct LineFilter: Sendable {
  private let filter: RecordFilter
  private let needles: [[UInt8]]
  private let times: (since: [UInt8]?, until: [UInt8]?)

  package init(_ filter: RecordFilter) {
    self.filter = filter
    needles = filter.texts.map { Array($0.utf8) }
    times = (filter.since.map { Array($0.description.utf8) }, filter.until.map { Array($0.description.utf8) })
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

  /// Whether the time is in the range, or is not where this version writes it, which is just before the version.
  private func isInTime(_ line: Span<UInt8>) -> Bool {
    let start = line.count - Self.tail.count - Self.timeLength
    guard times.since != nil || times.until != nil, start >= Self.head.count, Self.stand(Self.tail, in: line, at: line.count - Self.tail.count),
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
