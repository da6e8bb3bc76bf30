import Format
import Policy

/// A question that stands for every request of its kind: by any caller that the pattern covers,
/// with any key that the pattern names.
struct Probe: Hashable, Sendable {
  let who: CallerPattern
  let opcode: Opcode
  /// nil if no key is named.
  let key: KeyPattern?
  let question: Question

  /// One for each key and moment.
  static func all(
    _ who: CallerPattern, _ opcode: Opcode, _ keys: [KeyPattern?], at times: [Timestamp],
    nobody: UInt32
  ) -> [Probe] {
    let caller = who.caller(nobody: nobody)
    return keys.flatMap { key in
      times.map {
        Probe(
          who: who, opcode: opcode, key: key,
          question: Question(caller, opcode, label: key?.sample, at: $0))
      }
    }
  }
}

extension KeyPattern {
  /// A label that this pattern covers and no narrower one does.
  fileprivate var sample: String {
    switch self {
    case .label(let label): label
    // No pattern can name this label, since labels cannot contain '?'.
    case .prefix(let prefix): prefix + "?"
    }
  }

  /// The labels that both cover; nil if there are none.
  func merged(with other: KeyPattern) -> KeyPattern? {
    switch (self, other) {
    case (.label(let label), _): other.covers(label) ? self : nil
    case (_, .label(let label)): covers(label) ? other : nil
    case (.prefix(let a), .prefix(let b)): a.hasPrefix(b) ? self : b.hasPrefix(a) ? other : nil
    }
  }

  func includes(_ other: KeyPattern) -> Bool { merged(with: other) == other }
}

extension Rule {
  /// The keys with which `opcode` can be requested under this rule, or that it lists.
  func keys(for opcode: Opcode) -> [KeyPattern?] {
    switch opcode.keyUse {
    case .never: [nil]
    case .optional, .covered: [nil] + keys.map(KeyPattern?.some)
    case .required: keys.map(KeyPattern?.some)
    }
  }
}

/// What the questions about some rules have in common.
struct QuestionSpace {
  let times: [Timestamp]
  /// A number that is no user or group of any rule.
  let nobody: UInt32

  init(_ rules: [Rule], around now: Timestamp) {
    times = SampleTimes.all(of: rules, around: now)
    let named = Set(rules.flatMap { ($0.callers.users + $0.callers.groups).map(\.id) })
    nobody = (1_000_000_000...UInt32.max).first { !named.contains($0) } ?? Principal.overflow
  }
}

/// Moments that together stand for all times, as far as the dates and hours of some rules go.
enum SampleTimes {
  /// Between two dates in the rules, what is in force changes only with the hours of the week. So
  /// it is enough to look at the beginning of each such span, and at the first time in it that each
  /// such hour comes.
  static func all(of rules: [Rule], around now: Timestamp) -> [Timestamp] {
    let dates = Set(rules.flatMap { [$0.validity.from, $0.validity.until].compactMap { $0 } })
      .sorted()
    let minutes = Set(
      rules.flatMap { $0.validity.hours.flatMap(\.boundaries) }.map {
        $0 % WeeklyHours.minutesPerWeek
      }
    ).sorted()
    var times: [Timestamp] = []
    let first = min(now, dates.first?.adding(seconds: -week) ?? now)
    for (start, end) in zip([first] + dates, dates.map(Timestamp?.some) + [nil]) {
      times.append(start)
      for minute in minutes {
        let time = start.first(minute: minute)
        if end.map({ time < $0 }) ?? true { times.append(time) }
      }
    }
    return Array(Set(times)).sorted()
  }

  private static let week: Int64 = 7 * 86_400
}

extension Timestamp {
  /// The first moment from here on at which this minute of the week begins.
  fileprivate func first(minute: Int) -> Timestamp {
    let whole = Timestamp(seconds: (microseconds + 59_999_999) / 60_000_000 * 60)
    let ahead =
      (minute - WeeklyHours.minuteOfWeek(whole) + WeeklyHours.minutesPerWeek)
      % WeeklyHours.minutesPerWeek
    return whole.adding(seconds: Int64(ahead) * 60)
  }
}

extension WeeklyHours {
  /// The minutes since Monday 00:00 at which it begins and ends on each day; the last end may be
  /// the week's.
  fileprivate var boundaries: [Int] {
    (days.lowerBound.rawValue...days.upperBound.rawValue).flatMap { day in
      [minutes.lowerBound, minutes.upperBound].map { day * Self.minutesPerDay + $0 }
    }
  }
}
