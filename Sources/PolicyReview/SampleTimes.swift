internal import Encoding
internal import Policy

/// Moments of which one stands for every other, as far as the dates and hours of some rules go.
enum SampleTimes {
  /// Between two dates that the rules state, what is in force changes only with the hours of the week: so the first time of
  /// each such hour in each such span, and each span's own beginning, show all there is.
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
