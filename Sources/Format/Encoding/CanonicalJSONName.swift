/// A member's name where it stands in a text.
///
/// Its first sixteen bytes are at hand as a number, so that names are compared as numbers and nothing is allocated for them.
package struct CanonicalJSONName: Sendable {
  package let place: Range<Int>
  /// Big-endian, with zeros behind a shorter name; no name has a zero byte, so these numbers are in the order of the names.
  package let head: UInt128

  /// Stands before the first name.
  static let none = CanonicalJSONName(place: 0..<0, head: 0)

  private init(place: Range<Int>, head: UInt128) { (self.place, self.head) = (place, head) }

  /// - Parameter place: not empty.
  @inline(always) init(_ text: Span<UInt8>, at place: Range<Int>) {
    self.place = place
    let first = Self.number(text, at: place.lowerBound, count: min(place.count, 8))
    let second = place.count > 8 ? Self.number(text, at: place.lowerBound + 8, count: min(place.count - 8, 8)) : 0
    head = (UInt128(first) &<< 64) | UInt128(second)
  }

  @inline(always) private static func number(_ text: Span<UInt8>, at offset: Int, count: Int) -> UInt64 {
    if let eight = EightBytes(text, at: offset) { return eight.bigEndian(first: count) }
    var number: UInt64 = 0
    for i in offset..<offset + count { number = number << 8 | UInt64(text[i]) }
    return number << UInt64(64 - 8 * count)
  }
}
