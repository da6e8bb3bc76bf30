import Format
import Foundation
import Testing

@Suite("Timestamp")
struct TimestampTests {
  @Test(
    "round trips with its text",
    arguments: [
      ("1970-01-01T00:00:00.000000Z", 0), ("2000-02-29T23:59:59.999999Z", 951_868_799_999_999),
      ("2026-11-20T09:30:00.000000Z", 1_795_167_000_000_000),
      ("9999-12-31T23:59:59.000000Z", 253_402_300_799_000_000),
    ])
  func roundTrip(_ text: String, _ microseconds: Int64) {
    #expect(Timestamp(text)?.microseconds == microseconds)
    #expect(Timestamp(microseconds: microseconds).description == text)
  }

  @Test("agrees with another calendar, day by day over four centuries")
  func calendar() throws {
    let format = ISO8601DateFormatter()
    for day in stride(from: Int64(0), to: 400 * 366, by: 17) {
      #expect(
        Timestamp(seconds: day * 86_400).wholeSeconds
          == format.string(from: Date(timeIntervalSince1970: Double(day * 86_400))))
    }
  }

  @Test(
    "reads whole seconds and short fractions",
    arguments: [
      ("2026-11-20T09:30:00Z", 0), ("2026-11-20T09:30:00.5Z", 500_000),
      ("2026-11-20T09:30:00.000001Z", 1),
    ])
  func fractions(_ text: String, _ micro: Int64) {
    #expect(Timestamp(text)?.microseconds == 1_795_167_000_000_000 + micro)
  }

  @Test(
    "refuses what names no moment",
    arguments: [
      "", "2026-11-20", "2026-11-20T09:30:00", "2026-11-20 09:30:00Z", "2026-11-20T09:30:00z",
      "2026-11-20T09:30:00+00:00", "2026-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z", "1969-12-31T23:59:59Z", "2026-00-10T00:00:00Z",
      "2026-13-10T00:00:00Z", "2026-04-31T00:00:00Z", "2026-04-00T00:00:00Z",
      "2026-04-01T24:00:00Z", "2026-04-01T00:60:00Z", "2026-06-30T23:59:60Z",
      "2026-11-20T09:30:00.Z", "2026-11-20T09:30:00.1234567Z",
      "2026-11-20T09:30:0aZ", "2026-11-20T09:30:00Zx", "+026-11-20T09:30:00Z",
    ])
  func refused(_ text: String) { #expect(Timestamp(text) == nil) }

  @Test("rounds seconds down before 1970 too")
  func negative() { #expect(Timestamp(microseconds: -1).seconds == -1) }
}
