import Format
import KistClient
import TestSupport
import Testing

@testable import kist

/// What people and programs read of keys and secrets.
@Suite struct RenderingTests {
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let day: Int64 = 86_400

  private func key(endingAfter seconds: Int64?, symmetric: Bool = false) -> Key {
    var description = KeyDescription()
    description.id = [UInt8](repeating: 0xAB, count: 16)
    description.label = "merchant/acme/a\u{1B}[2J"
    description.role = "merchant-processing-ec"
    description.state = "active"
    description.algorithm = "P-256"
    description.checkValue = [UInt8](repeating: 0xCD, count: symmetric ? 5 : 32)
    description.uses = .max
    if let seconds { description.notAfter = UInt64(Self.now.seconds + seconds) }
    return Key(description)
  }

  @Test(arguments: [
    (nil, "-", false), (30 * day, "2027-02-14", false),
    (30 * day - 1, "2027-02-14 ! 29 days", true), (day, "2027-01-16 ! 1 day", true),
    (0, "2027-01-15 ! 0 days", true), (-1, "2027-01-15 ! expired", true),
    (-400 * day, "2025-12-11 ! expired", true),
    (1 << 50, "-", false),
  ]) func whatExpiresSoonIsMarked(_ seconds: Int64?, _ text: String, _ isMarked: Bool) throws {
    let key = key(endingAfter: seconds)
    let line = try #require(Key.list([key], now: Self.now, wide: false).split(separator: "\n").last)
    #expect(line.contains("  \(text)  "))
    #expect(
      String(decoding: key.json(now: Self.now).serialised, as: UTF8.self).contains(
        "\"expires_soon\":\(isMarked),"))
  }

  @Test func aPeriodThatBeginsLaterAndALimit() {
    var description = KeyDescription()
    description.id = [UInt8](repeating: 0xAB, count: 16)
    description.uses = 3
    description.useLimit = 9
    description.notBefore = UInt64(Self.now.seconds)
    let key = Key(description)
    let text = key.text(now: Self.now)
    #expect(
      text.contains(/\nbegins +2027-01-15T08:00:00Z\n/)
        && text.contains(/\nuses +3 of at most 9\n/), "\(text)")
    let json = String(decoding: key.json(now: Self.now).serialised, as: UTF8.self)
    #expect(
      json.contains(#""not_before":"2027-01-15T08:00:00Z""#) && json.contains(#""use_limit":9"#),
      "\(json)")
  }

  @Test func aKeyCannotSteerTheTerminal() {
    #expect(
      Key.list([key(endingAfter: nil)], now: Self.now, wide: true).contains(
        "merchant/acme/a\\u{1b}[2J  merchant-processing-ec"))
  }

  @Test func aUnitCannotSteerTheTerminal() {
    var reply = WhoReply()
    reply.unit = "a\u{1B}[2J\n\u{9B}\u{202E}.service"
    let rights = CallerRights(reply)
    #expect(
      rights.text.hasPrefix(
        "user 0, group 0, a\\u{1b}[2J\\u{a}\\u{9b}\\u{202e}.service: 0 grants\n"))
    #expect(
      String(decoding: Printable.json(rights.json.serialised.span), as: UTF8.self).contains(
        "\"a\\u001b[2J\\n\\u009b\\u202e.service\""))
  }

  @Test func checkValues() {
    #expect(
      key(endingAfter: nil).text(now: Self.now).contains(
        "\nSPKI SHA-256  " + String(repeating: "cd", count: 32) + "\n"))
    #expect(
      key(endingAfter: nil, symmetric: true).text(now: Self.now).contains(
        "\nKCV        CDCDCDCDCD\n"))
    #expect(
      Key.list([key(endingAfter: nil)], now: Self.now, wide: true).contains("  cdcdcdcd…  "))
  }

  /// Check values, ids and algorithms are what would not fit.
  @Test func aListHasAtMostOneHundredColumns() {
    var description = KeyDescription()
    description.label = "merchant/sandbox/processing-rsa"
    description.role = "merchant-processing-rsa"
    description.state = "deactivated"
    description.algorithm = "HMAC-SHA-256"
    description.id = [UInt8](repeating: 0xAB, count: 16)
    description.checkValue = [UInt8](repeating: 0xCD, count: 32)
    description.notAfter = UInt64(Self.now.seconds + 29 * Self.day)
    description.uses = 1_000_000
    let list = Key.list([Key(description)], now: Self.now, wide: false)
    #expect(list.split(separator: "\n").map(\.count).max() ?? 0 <= 100, "\(list)")
    #expect(!list.contains("HMAC") && !list.contains("abab"))
    let wide = Key.list([Key(description)], now: Self.now, wide: true)
    #expect(
      wide.contains("HMAC-SHA-256  cdcdcdcd…  " + String(repeating: "ab", count: 16)), "\(wide)")
  }

  @Test func countsBeyondJSON() {
    #expect(
      String(decoding: key(endingAfter: nil).json(now: Self.now).serialised, as: UTF8.self)
        .contains("\"uses\":9007199254740991}"))
  }

  @Test(arguments: [
    ("4109", "4109", "\"4109\""), ("", "", "\"\""),
    (
      "M\u{1B}[2J\u{7F}\u{9B}\u{202E}1", "M\\u{1b}[2J\\u{7f}\\u{9b}\\u{202e}1",
      "\"M\\u001b[2J\\u007f\\u009b\\u202e1\""
    ),
    ("a\tb\n", "a\\u{9}b\\u{a}", "\"a\\u0009b\\u000a\""),
    ("{\"a\\\\\":1}", "{\"a\\\\\":1}", "\"{\\\"a\\\\\\\\\\\":1}\""),
    ("Zoë 京", "Zoë 京", "\"Zoë 京\""),
  ]) func secretText(_ value: String, _ printable: String, _ json: String) throws {
    try #require(TestArena.ready)
    let bytes = Array(value.utf8)
    var text = try SecretText(capacity: bytes.count * SecretText.expansion + 2)
    text.addPrintable(bytes.span)
    #expect(text.read { String(decoding: $0.array, as: UTF8.self) } == printable)
    text = try SecretText(capacity: bytes.count * SecretText.expansion + 2)
    text.addJSON(bytes.span)
    #expect(text.read { String(decoding: $0.array, as: UTF8.self) } == json)
  }
}
