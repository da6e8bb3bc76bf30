package import Format

/// The members that chain a line to its log: read from every line, without allocating.
package struct ChainFields {
  private(set) var sequence: UInt64?
  private(set) var role = Role.other
  /// The ranges of the previous hash's digits and of the frontier's, within the line.
  private(set) var previous: Range<Int>?
  private(set) var frontier: [Range<Int>] = []
  /// Where the log began when the record was written, if the record says so.
  private(set) var oldest: UInt64?
  private(set) var time: RecordTime?
  /// Of a segment's first record: the latest time of any record before it, if the clock was set
  /// back since.
  private(set) var newest: RecordTime?
  private var hasVersion = false

  enum Role { case segment, stop, other }

  /// Checks that the line is canonical and has the members that every record has.
  package init(parsing line: Span<UInt8>) throws(CanonicalJSONError) {
    guard line.count <= Draft.byteLimit else { throw .tooLong }
    var reader = CanonicalJSONReader(line)
    try reader.readObject { (reader, name) throws(CanonicalJSONError) in
      try read(name, from: &reader)
    }
    try reader.end()
    guard sequence != nil, previous != nil, time != nil, hasVersion else { throw .schema }
  }

  private mutating func read(_ name: CanonicalJSONName, from reader: inout CanonicalJSONReader)
    throws(CanonicalJSONError)
  {
    switch name {
    case "event": try readEvent(from: &reader)
    case "op":
      let place = try reader.readStringPlace()
      if reader.string(place, is: RecordName.segment) { role = .segment }
      if reader.string(place, is: RecordName.stop) { role = .stop }
    case "prev": previous = try reader.readStringPlace()
    case "seq": sequence = try reader.readUnsigned()
    case "ts": time = try Self.time(from: &reader)
    case "v": hasVersion = try reader.readInteger() == 1
    default: try reader.skip()
    }
  }

  private mutating func readEvent(from reader: inout CanonicalJSONReader) throws(CanonicalJSONError)
  {
    try reader.readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "frontier":
        try reader.readArray { (reader) throws(CanonicalJSONError) in
          guard frontier.count < UInt64.bitWidth else { throw .schema }
          frontier.append(try reader.readStringPlace())
        }
      case "newest": newest = try Self.time(from: &reader)
      case "oldest": oldest = try reader.readUnsigned()
      default: try reader.skip()
      }
    }
  }

  private static func time(from reader: inout CanonicalJSONReader) throws(CanonicalJSONError)
    -> RecordTime
  {
    let place = try reader.readStringPlace()
    guard place.count == Draft.timeCount else { throw .schema }
    return RecordTime(reader.bytes(place))
  }
}

/// A record's time as it is written: RFC 3339 with microseconds, 27 characters, which compare as
/// the times do.
struct RecordTime: Comparable, Sendable {
  /// Eight characters each, the first the highest; the last begins at the twentieth character.
  private let first, second, third, last: UInt64

  /// - Parameter text: 27 bytes.
  init(_ text: Span<UInt8>) {
    first = UInt64(bigEndian: text, at: 0)
    second = UInt64(bigEndian: text, at: 8)
    third = UInt64(bigEndian: text, at: 16)
    last = UInt64(bigEndian: text, at: 19)
  }

  static func < (a: RecordTime, b: RecordTime) -> Bool {
    (a.first, a.second, a.third, a.last) < (b.first, b.second, b.third, b.last)
  }

  var text: String {
    String(
      decoding: [first, second, third].flatMap(\.bigEndianBytes) + last.bigEndianBytes.suffix(3),
      as: UTF8.self)
  }
}

/// For a `switch` over the names of members, of at most sixteen bytes.
///
/// It is inlined, so that the compiler computes the number of a literal; from another module it
/// would not be.
@inline(always) func ~= (text: String, name: CanonicalJSONName) -> Bool {
  guard name.place.count == text.utf8.count else { return false }
  var head: UInt128 = 0
  for byte in text.utf8 { head = (head &<< 8) | UInt128(byte) }
  return name.head == (head &<< UInt128(128 - 8 * text.utf8.count))
}
