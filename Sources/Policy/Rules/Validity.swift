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
    self.from = from
    self.until = until
    self.hours = hours
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

/// Hours of one or more days of the week, in UTC: `mon-fri 08:00-18:00`, or `22:00-24:00` for every
/// day.
package struct WeeklyHours: Hashable, Sendable {
  package enum Day: Int, CaseIterable, Comparable, Sendable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    var name: String {
      switch self {
      case .monday: "mon"
      case .tuesday: "tue"
      case .wednesday: "wed"
      case .thursday: "thu"
      case .friday: "fri"
      case .saturday: "sat"
      case .sunday: "sun"
      }
    }

    package static func < (a: Day, b: Day) -> Bool { a.rawValue < b.rawValue }
  }

  package let days: ClosedRange<Day>
  /// Minutes of the day within `0..<1440`, the end excluded.
  package let minutes: Range<Int>

  /// Parses the policy file's form; hours that pass midnight must be written as two.
  package init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard let last = words.last, (1...2).contains(words.count), let minutes = Self.minutes(last)
    else { return nil }
    guard let days = words.count == 1 ? Day.monday...Day.sunday : Self.days(words[0]) else {
      return nil
    }
    self.days = days
    self.minutes = minutes
  }

  package func contains(_ time: Timestamp) -> Bool {
    let minute = Self.minuteOfWeek(time)
    guard let day = Day(rawValue: minute / Self.minutesPerDay) else { return false }
    return days.contains(day) && minutes.contains(minute % Self.minutesPerDay)
  }

  package static let minutesPerWeek = 7 * minutesPerDay
  package static let minutesPerDay = 1440

  /// Whole minutes since Monday 00:00; 1970 began on a Thursday.
  package static func minuteOfWeek(_ time: Timestamp) -> Int {
    let minutes = (time.seconds >= 0 ? time.seconds : time.seconds - 59) / 60
    let rest = Int(minutes + Int64(3 * minutesPerDay)) % minutesPerWeek
    return rest < 0 ? rest + minutesPerWeek : rest
  }
}

extension WeeklyHours: CustomStringConvertible {
  /// The form in the policy file.
  package var description: String {
    let hours = "\(Self.clock(minutes.lowerBound))-\(Self.clock(minutes.upperBound))"
    if days == Day.monday...Day.sunday { return hours }
    if days.lowerBound == days.upperBound { return "\(days.lowerBound.name) \(hours)" }
    return "\(days.lowerBound.name)-\(days.upperBound.name) \(hours)"
  }
}

extension WeeklyHours {
  private static func days(_ text: Substring) -> ClosedRange<Day>? {
    let names = text.split(separator: "-", omittingEmptySubsequences: false)
    let days = names.compactMap { name in Day.allCases.first { $0.name == name } }
    guard (1...2).contains(names.count), days.count == names.count, let first = days.first,
      let last = days.last, first <= last
    else { return nil }
    return first...last
  }

  private static func minutes(_ text: Substring) -> Range<Int>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let start = minute(ends[0]), let end = minute(ends[1]), start < end
    else { return nil }
    return start..<end
  }

  /// `00:00` to `24:00`.
  private static func minute(_ text: Substring) -> Int? {
    let u = Array(text.utf8)
    guard u.count == 5, u[2] == UInt8(ascii: ":") else { return nil }
    guard let hour = UInt64(digits: u.span.extracting(0..<2)),
      let minute = UInt64(digits: u.span.extracting(3..<5)), minute < 60
    else { return nil }
    let minutes = Int(hour * 60 + minute)
    return minutes <= minutesPerDay ? minutes : nil
  }

  private static func clock(_ minutes: Int) -> String {
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    return two(minutes / 60) + ":" + two(minutes % 60)
  }
}
