internal import Format
internal import Policy

/// Moments that together stand for all times, as far as the dates and hours of some rules go.
enum SampleTimes {
  /// Between two dates in the rules, what is in force changes only with the hours of the week. So it is enough to look at the
  /// beginning of each such span, and at the first time in it that each such hour comes.
  static func all(of rules: [Rule], around now: Timestamp) -> [Timestamp] {
    let dates = Set(rules.flatMap { [$0.validity.from, $0.validity.until].compactMap { $0 } }).sorted()
    let minutes = Set(rules.flatMap { $0.validity.hours.flatMap(\.boundaries) }.map { $0 % WeeklyHours.minutesPerWeek }).sorted()
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
    let ahead = (minute - WeeklyHours.minuteOfWeek(whole) + WeeklyHours.minutesPerWeek) % WeeklyHours.minutesPerWeek
    return whole.adding(seconds: Int64(ahead) * 60)
  }
}

extension WeeklyHours {
  /// The minutes since Monday 00:00 at which it begins and ends on each day; the last end may be the week's.
  fileprivate var boundaries: [Int] {
    (days.lowerBound.rawValue...days.upperBound.rawValue).flatMap { day in
      [minutes.lowerBound, minutes.upperBound].map { day * Self.minutesPerDay + $0 }
    }
  }
}
