internal import CryptoBackend
package import Encoding

/// The members that chain a line to its log: read from every line, without allocating.
package struct ChainFields {
  private(set) var sequence: UInt64?
  private(set) var role = Role.other
  /// The ranges of the previous hash's digits and of the frontier's, within the line.
  private(set) var previous: Range<Int>?
  private(set) var frontier: [Range<Int>] = []
  /// Where the log began when the record was written, if the record says so.
  private(set) var oldest: UInt64?
  private var hasTime = false
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
    guard sequence != nil, previous != nil, hasTime, hasVersion else { throw .schema }
  }

  /// Whether the hexadecimal digits at `place` of `line` spell `digest`.
  static func digits(_ place: Range<Int>, of line: Span<UInt8>, are digest: Digest256) -> Bool {
    guard place.count == 64 else { return false }
    for i in 0..<32 {
      let byte = digest.span[i]
      guard line[place.lowerBound + 2 * i] == Hex.digit(byte >> 4), line[place.lowerBound + 2 * i + 1] == Hex.digit(byte & 15)
      else { return false }
    }
    return true
  }

  private mutating func read(_ name: Range<Int>, from reader: inout CanonicalJSONReader) throws(CanonicalJSONError) {
    if reader.name(name, is: "seq") {
      guard let number = UInt64(exactly: try reader.readInteger()) else { throw .schema }
      sequence = number
    } else if reader.name(name, is: "prev") {
      previous = try reader.readStringPlace()
    } else if reader.name(name, is: "op") {
      let place = try reader.readStringPlace()
      if reader.name(place, is: RecordName.segment) { role = .segment }
      if reader.name(place, is: RecordName.stop) { role = .stop }
    } else if reader.name(name, is: "event") {
      try readEvent(from: &reader)
    } else if reader.name(name, is: "ts") {
      hasTime = try reader.readStringPlace().count == 27
    } else if reader.name(name, is: "v") {
      hasVersion = try reader.readInteger() == 1
    } else {
      try reader.skip()
    }
  }

  private mutating func readEvent(from reader: inout CanonicalJSONReader) throws(CanonicalJSONError) {
    try reader.readObject { (reader, name) throws(CanonicalJSONError) in
      if reader.name(name, is: "oldest") { return oldest = try reader.readUnsigned() }
      guard reader.name(name, is: "frontier") else { return try reader.skip() }
      try reader.readArray { (reader) throws(CanonicalJSONError) in
        guard frontier.count < UInt64.bitWidth else { throw .schema }
        frontier.append(try reader.readStringPlace())
      }
    }
  }
}
