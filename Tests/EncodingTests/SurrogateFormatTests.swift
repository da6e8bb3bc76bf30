import Format
import Testing

@Suite struct SurrogateFormatTests {
  struct Refusal: Sendable {
    var prefix = ""
    var first = 0
    var last = 4
    var length: Int?
    var luhn = SurrogateFormat.LuhnRule.fail
    let flaw: SurrogateFormat.Flaw

    func format() throws(SurrogateFormat.Flaw) -> SurrogateFormat {
      try SurrogateFormat(
        prefix: Array(prefix.utf8), first: first, last: last, length: length, luhn: luhn)
    }
  }

  @Test("[OP-SURR-10] a format that says nothing is the usual one") func usual() throws {
    #expect(try SurrogateFormat() == .usual)
    #expect(try SurrogateFormat(prefix: [], first: 0, last: 4, length: nil, luhn: .fail) == .usual)
    #expect(
      SurrogateFormat.usual.panLengths == 10...19 && !SurrogateFormat.usual.replacesFirstDigit)
    #expect(try SurrogateFormat(luhn: .any) != .usual)
  }

  @Test("[OP-SURR-11] how many digits a PAN has that has a surrogate") func panLengths() throws {
    func lengths(
      _ prefix: String = "", first: Int = 0, last: Int = 4, length: Int? = nil,
      luhn: SurrogateFormat.LuhnRule = .fail
    ) throws -> ClosedRange<Int> {
      try SurrogateFormat(
        prefix: Array(prefix.utf8), first: first, last: last, length: length, luhn: luhn
      ).panLengths
    }
    #expect(try lengths(last: 0) == 10...19)
    #expect(try lengths(luhn: .pass) == 11...19)
    #expect(try lengths(luhn: .any) == 10...19)
    #expect(try lengths("9") == 11...19)
    #expect(try lengths("9", luhn: .any) == 11...19)
    #expect(try lengths(first: 6) == 16...19)
    #expect(try lengths(first: 6, last: 3, luhn: .pass) == 16...19)
    #expect(try lengths(first: 5, last: 3) == 14...19)
    #expect(try lengths(first: 7, last: 0) == 16...19)
    #expect(try lengths(length: 17) == 10...16)
    #expect(try lengths(length: 17, luhn: .pass) == 10...16)
    #expect(try lengths("90", first: 6, length: 20, luhn: .any) == 16...17)
    #expect(try lengths("012345678901234", length: 32) == 10...16)
    #expect(try lengths(length: 32) == 10...19)
  }

  @Test("[OP-SURR-11] of which length the PANs of a surrogate can be") func surrogateLengths()
    throws
  {
    #expect(SurrogateFormat.usual.panLengths(ofSurrogate: 10) == 10...10)
    #expect(SurrogateFormat.usual.panLengths(ofSurrogate: 9) == nil)
    #expect(SurrogateFormat.usual.panLengths(ofSurrogate: 20) == nil)
    let long = try SurrogateFormat(length: 18)
    #expect(long.panLengths(ofSurrogate: 18) == 10...17)
    for count in [0, 16, 17, 19] { #expect(long.panLengths(ofSurrogate: count) == nil) }
  }

  @Test(
    "[OP-SURR-10] what shows too much, hides too little or has too few numbers is no format",
    arguments: [
      Refusal(prefix: "9x", flaw: .prefix), Refusal(prefix: "٩", flaw: .prefix),
      Refusal(prefix: "0123456789012345", length: 32, flaw: .prefix),
      Refusal(first: 9, last: 0, flaw: .showsTooMuch), Refusal(first: -1, flaw: .showsTooMuch),
      Refusal(last: 5, flaw: .showsTooMuch),
      Refusal(last: -1, flaw: .showsTooMuch), Refusal(first: 8, last: 3, flaw: .domainTooSmall),
      Refusal(first: 7, flaw: .domainTooSmall),
      Refusal(first: 6, luhn: .pass, flaw: .domainTooSmall),
      Refusal(first: 8, last: 2, luhn: .pass, flaw: .domainTooSmall),
      Refusal(first: 7, length: 32, flaw: .domainTooSmall),
      Refusal(prefix: "90", flaw: .needsLength),
      Refusal(prefix: "9", luhn: .pass, flaw: .needsLength),
      Refusal(prefix: "9", first: 1, flaw: .prefixAndFirst),
      Refusal(length: 16, flaw: .length(atLeast: 17)),
      Refusal(length: 0, flaw: .length(atLeast: 17)),
      Refusal(prefix: "90", length: 18, flaw: .length(atLeast: 19)),
      Refusal(length: 33, flaw: .length(atLeast: 17)),
      Refusal(length: .max, flaw: .length(atLeast: 17)),
      Refusal(prefix: "9", length: -1, flaw: .length(atLeast: 18)),
    ])
  func refused(_ refusal: Refusal) {
    #expect(throws: refusal.flaw) { _ = try refusal.format() }
  }
}
