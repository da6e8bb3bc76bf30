import Audit
import Format

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
    if lines.count < limit {
      lines.append(Line(sequence: record.sequence, text: HumanLine.text(record)))
    }
  }

  private static let usualLines = 5
}

/// When and how often a caller makes requests, to detect what is unusual for it.
struct Habit: Hashable, Sendable {
  /// Bit h: before the period, the caller made a request in hour h of the day.
  private var knownHours: UInt32 = 0
  /// Requests of the period by the hour, counted since 1970.
  private var requests: [Int64: Figure] = [:]
  /// Requests of the period in hours of the day in which the caller made none before.
  private(set) var newHours: [Int: Figure] = [:]

  /// The busiest hour is reported if it has this many times the requests of the usual hour, and at
  /// least this many in all.
  private static let factor = 5
  private static let leastRequests = 20

  mutating func remember(_ record: Record) { knownHours |= 1 << UInt32(record.hour) }

  mutating func add(_ record: Record) {
    requests[record.time.seconds / 3600, default: Figure()].add(record, linesUpTo: 1)
    guard knownHours != 0, knownHours & 1 << UInt32(record.hour) == 0 else { return }
    newHours[record.hour, default: Figure()].add(record)
  }

  /// The busiest hour, if it has at least five times the requests of the median hour.
  var peak: (hour: Timestamp, figure: Figure, usual: Int)? {
    let counts = requests.values.map(\.count).sorted()
    // Of equal counts the earliest hour, so that the same log gives the same report.
    guard counts.count > 1,
      let busiest = requests.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })
    else { return nil }
    let usual = counts[(counts.count - 1) / 2]
    guard busiest.value.count >= Self.leastRequests, busiest.value.count >= Self.factor * usual
    else { return nil }
    return (Timestamp(seconds: busiest.key * 3600), busiest.value, usual)
  }
}
