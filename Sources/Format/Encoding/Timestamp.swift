/// A moment in UTC, in whole microseconds since 1970, written as in RFC 3339.
package struct Timestamp: Hashable, Comparable, Sendable {
  package let microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }
  package init(seconds: Int64) { microseconds = seconds * 1_000_000 }

  /// Whole seconds since 1970, rounded down.
  package var seconds: Int64 { microseconds.floorDivided(by: 1_000_000) }

  package func adding(seconds: Int64) -> Timestamp {
    Timestamp(microseconds: microseconds + seconds * 1_000_000)
  }

  /// Whole days from `other` to this moment, rounded down.
  package func days(after other: Timestamp) -> Int64 {
    (seconds - other.seconds).floorDivided(by: 86_400)
  }

  package static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }

  /// From UTC date and time, or nil if they are not valid (leap seconds are not accepted).
  package init?(
    year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, microsecond: Int = 0
  ) {
    guard (1970...9999).contains(year), (1...12).contains(month), (0...23).contains(hour),
      (0...59).contains(minute),
      (0...59).contains(second), (0...999_999).contains(microsecond),
      (1...Self.days(inMonth: month, of: year)).contains(day)
    else { return nil }
    let days = Self.daysSince1970(year: year, month: month, day: day)
    let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    microseconds = seconds * 1_000_000 + Int64(microsecond)
  }
}

extension Timestamp: CustomStringConvertible {
  /// `2026-11-20T09:30:00.000000Z`, always 27 characters.
  package var description: String {
    var text = civil
    text.append(UInt8(ascii: "."))
    text.append(microseconds - seconds * 1_000_000, width: 6)
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  /// `2026-11-20T09:30:00Z`.
  package var wholeSeconds: String { String(decoding: civil, as: UTF8.self) + "Z" }

  /// Parses the forms of `description` and `wholeSeconds`; a fraction may have one to six digits.
  package init?(_ text: some StringProtocol) {
    let u = Array(text.utf8)
    guard u.count >= 20, u[4] == 0x2D, u[7] == 0x2D, u[10] == 0x54, u[13] == 0x3A, u[16] == 0x3A,
      u.last == 0x5A
    else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      UInt64(digits: u.span.extracting(range)).map { Int($0) }
    }
    var micro = 0
    if u.count > 20 {
      let digits = u.count - 21
      guard u[19] == 0x2E, (1...6).contains(digits), let fraction = number(20..<u.count - 1) else {
        return nil
      }
      micro = fraction
      for _ in digits..<6 { micro *= 10 }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19)
    else { return nil }
    self.init(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second,
      microsecond: micro)
  }

  /// `2026-11-20T09:30:00`, as bytes for speed: every record and every key of a manifest contains
  /// some.
  private var civil: [UInt8] {
    let days = seconds.floorDivided(by: 86_400)
    let rest = seconds - days * 86_400
    let (year, month, day) = Self.civilDate(daysSince1970: Int(days))
    var text: [UInt8] = []
    text.reserveCapacity(27)
    text.append(Int64(year), width: 4)
    for (separator, number) in [
      ("-", Int64(month)), ("-", Int64(day)), ("T", rest / 3600), (":", rest / 60 % 60),
      (":", rest % 60),
    ] {
      text.append(contentsOf: separator.utf8)
      text.append(number, width: 2)
    }
    return text
  }
}

// Howard Hinnant's days-from-civil algorithms: years start in March, so that the leap day comes
// last.
extension Timestamp {
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let y = month <= 2 ? year - 1 : year
    let era = y / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civilDate(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let z = days + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension [UInt8] {
  /// Appends decimal digits, at least `width` of them.
  fileprivate mutating func append(_ value: Int64, width: Int) {
    let digits = String(value).utf8
    append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Swift.max(0, width - digits.count)))
    append(contentsOf: digits)
  }
}
