internal import Audit

/// A number of the report and the records that it counts.
package struct Figure: Hashable, Sendable {
  package private(set) var count = 0
  package private(set) var first: UInt64 = 0
  package private(set) var last: UInt64 = 0
  /// The first of the records, as lines for people.
  package private(set) var lines: [Line] = []

  package struct Line: Hashable, Sendable {
    package let sequence: UInt64
    package let text: String
  }

  /// - Parameter times: how many such requests the record stands for.
  mutating func add(_ record: Record, times: Int = 1, linesUpTo limit: Int = Figure.usualLines) {
    if count == 0 { first = record.sequence }
    count += times
    last = record.sequence
    if lines.count < limit { lines.append(Line(sequence: record.sequence, text: HumanLine.text(record))) }
  }

  private static let usualLines = 5
}
