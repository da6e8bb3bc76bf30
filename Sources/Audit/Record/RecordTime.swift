internal import Format

/// A record's time as it is written: RFC 3339 with microseconds, 27 characters, which compare as the times do.
struct RecordTime: Comparable, Sendable {
  /// Eight characters each, the first the highest; the last begins at the twentieth character.
  private let first, second, third, last: UInt64

  /// - Parameter text: 27 bytes.
  init(_ text: Span<UInt8>) {
    (first, second) = (UInt64(bigEndian: text, at: 0), UInt64(bigEndian: text, at: 8))
    (third, last) = (UInt64(bigEndian: text, at: 16), UInt64(bigEndian: text, at: 19))
  }

  static func < (a: RecordTime, b: RecordTime) -> Bool { (a.first, a.second, a.third, a.last) < (b.first, b.second, b.third, b.last) }

  var text: String { String(decoding: [first, second, third].flatMap(\.bigEndianBytes) + last.bigEndianBytes.suffix(3), as: UTF8.self) }
}
