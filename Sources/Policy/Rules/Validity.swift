package import Format

/// When a grant is in force: between two times, within some hours of the week; all in UTC.
package struct Validity: Hashable, Sendable {
  /// The first moment in force; nil for no beginning.
  package let from: Timestamp?
  /// The first moment no longer in force; nil for no end.
  package let until: Timestamp?
  /// In force within any of these; if empty, at all hours.
  package let hours: [WeeklyHours]

  package static let always = Validity()

  package init(from: Timestamp? = nil, until: Timestamp? = nil, hours: [WeeklyHours] = []) {
    (self.from, self.until, self.hours) = (from, until, hours)
  }

  package var isAlways: Bool { self == .always }

  /// Whether it ends before it begins.
  var isEmpty: Bool {
    guard let from, let until else { return false }
    return until <= from
  }

  package func contains(_ time: Timestamp) -> Bool {
    if let from, time < from { return false }
    if let until, time >= until { return false }
    return hours.isEmpty || hours.contains { $0.contains(time) }
  }
}

extension Validity: CustomStringConvertible {
  /// For people: `from 2026-12-01T00:00:00Z, mon-fri 08:00-18:00 UTC`.
  package var description: String {
    var parts: [String] = []
    if let from { parts.append("from \(from.wholeSeconds)") }
    if let until { parts.append("until \(until.wholeSeconds)") }
    if !hours.isEmpty { parts.append(hours.map(\.description).joined(separator: " or ") + " UTC") }
    return parts.isEmpty ? "always" : parts.joined(separator: ", ")
  }
}
