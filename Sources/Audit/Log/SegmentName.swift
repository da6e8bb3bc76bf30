/// A segment's file name: the sequence of its first record in 20 digits, and `.log`.
package struct SegmentName: Hashable, Comparable, Sendable {
  package let first: UInt64

  init(first: UInt64) { self.first = first }

  init?(_ text: String) {
    guard text.utf8.count == 24, text.hasSuffix(".log"), let first = UInt64(text.dropLast(4)) else { return nil }
    self.first = first
    guard self.text == text else { return nil }
  }

  package var text: String { Self.padded(first) + ".log" }

  package static func < (a: Self, b: Self) -> Bool { a.first < b.first }

  static func padded(_ number: UInt64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 20 - digits.utf8.count) + digits
  }
}
