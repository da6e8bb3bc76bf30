import ApplePay
import Format
import TestSupport
import Testing

/// Surrogates in other formats than the usual one, which `SurrogateTests` has.
@Suite struct SurrogateFormatTests {
  private static let key = String(repeating: "4b", count: 32)
  private static let acme = "merchant.com.acme"
  private static let pans = [
    "4109370251004320", "5204240250003931", "0000000000000000", "9999999999999995",
    "371449635398431", "6304000000000000000",
  ]

  @Test("[OP-SURR-10] the prefix, the kept digits, the length, and Luhn's formula") func shape()
    throws
  {
    try #require(TestArena.ready)
    for format in try Self.formats() {
      for pan in Self.pans {
        guard let surrogate = try make(pan, format) else { continue }
        let prefix = String(decoding: format.prefix, as: UTF8.self)
        #expect(
          surrogate.count == format.length ?? pan.count
            && surrogate.utf8.allSatisfy { (0x30...0x39).contains($0) })
        #expect(
          surrogate.hasPrefix(prefix + pan.prefix(format.first))
            && surrogate.hasSuffix(pan.suffix(format.last)))
        switch format.luhn {
        case .pass: #expect(DigitsOf.passes(surrogate))
        case .fail: #expect(!DigitsOf.passes(surrogate))
        case .any: break
        }
        #expect(try back(surrogate, format) == pan)
      }
      #expect(try make("4109370251004320", format) != nil)
    }
  }

  @Test("[OP-SURR-11] PANs that the format leaves out have none") func leftOut() throws {
    try #require(TestArena.ready)
    let narrow = try SurrogateFormat(first: 6)
    let long = try SurrogateFormat(prefix: Array("90".utf8), length: 19)
    #expect(try make("371449635398431", narrow) == nil)
    #expect(try make("6304000000000000000", long) == nil)
    #expect(try make("0123456782", try SurrogateFormat(luhn: .pass)) == nil)
    #expect(try make("0123456782", try SurrogateFormat(luhn: .any)) != nil)
    #expect(try make("4109370251004321", narrow) == nil)
  }

  @Test(
    "[OP-SURR-11] in place of a first digit, a prefix that must fail Luhn's formula leaves out the PANs that begin with it"
  ) func replaced() throws {
    try #require(TestArena.ready)
    let fails = try SurrogateFormat(prefix: Array("4".utf8))
    let may = try SurrogateFormat(prefix: Array("4".utf8), luhn: .any)
    #expect(try make("4109370251004320", fails) == nil)
    #expect(try make("5204240250003931", fails)?.hasPrefix("4") == true)
    #expect(try make("4109370251004320", may)?.hasPrefix("4") == true)
  }

  @Test(
    "[OP-SURR-12] a number of another length or prefix, or that passes Luhn's formula or not as it must not, is no surrogate"
  ) func refused() throws {
    try #require(TestArena.ready)
    let long = try SurrogateFormat(prefix: Array("90".utf8), length: 19)
    let surrogate = try #require(try make("4109370251004320", long))
    for wrong in [
      "", "9", "90", String(surrogate.dropLast()), surrogate + "0", "80" + surrogate.dropFirst(2),
      "91" + surrogate.dropFirst(2), surrogate.dropLast() + "x",
      "x" + surrogate.dropFirst(), surrogate.dropLast() + "４",
    ] { #expect(try back(wrong, long) == nil, "\(wrong)") }
    let passing = try #require(try make("4109370251004320", try SurrogateFormat(luhn: .pass)))
    #expect(try back(passing, .usual) == nil)
    #expect(
      try back(try #require(try make("4109370251004320", .usual)), try SurrogateFormat(luhn: .pass))
        == nil)
  }

  @Test(
    "[OP-SURR-12] of a long format's numbers, few are surrogates, and each of those is its PAN's")
  func sparse() throws {
    try #require(TestArena.ready)
    let format = try SurrogateFormat(length: 17, luhn: .any)
    var found = 0
    for index in 0..<1500 {
      let number =
        String(repeating: "0", count: 17 - String(index * 7919).count) + String(index * 7919)
      guard let pan = try back(number, format) else { continue }
      found += 1
      #expect(try make(pan, format) == number && pan.count <= 16)
    }
    // One text in ten begins with the right check digit, and of these one in ten with the one, one
    // in a hundred with a zero before it, and so on.
    #expect((3...40).contains(found))
  }

  @Test("[OP-SURR-13] two formats that encipher the same digits do not encipher them alike")
  func separate() throws {
    try #require(TestArena.ready)
    func format(_ prefix: String, length: Int? = nil, _ luhn: SurrogateFormat.LuhnRule) throws
      -> SurrogateFormat
    {
      try SurrogateFormat(prefix: Array(prefix.utf8), length: length, luhn: luhn)
    }
    let pairs = [
      (try format("9", .any), try format("8", .any)),
      (try format("9", .any), try format("9", .fail)),
      (try format("", length: 19, .pass), try format("9", length: 20, .pass)),
      (try format("", .pass), try SurrogateFormat(last: 3, luhn: .pass)),
      (try format("99", length: 20, .pass), try format("98", length: 20, .pass)),
    ]
    for (one, other) in pairs {
      for pan in Self.pans.prefix(5) where !pan.hasPrefix("9") {
        #expect(
          try enciphered(pan, one).prefix(8) != enciphered(pan, other).prefix(8),
          "\(one) and \(other)")
      }
    }
  }

  @Test("[OP-SURR-13] merchants, keys and kept digits have surrogates of their own") func bound()
    throws
  {
    try #require(TestArena.ready)
    let format = try SurrogateFormat(first: 6, last: 3, luhn: .pass)
    let pan = "4109370251004320"
    let surrogate = try make("4109370251004320", format)
    #expect(try make(pan, format) == surrogate)
    #expect(try make(pan, format, for: "merchant.com.acmf") != surrogate)
    #expect(try make(pan, format, key: String(repeating: "4c", count: 32)) != surrogate)
    // The same digits are enciphered beside other kept ones: only the check digit differs from the
    // PAN's, and it is left out.
    for (front, end) in [("510937", "320"), ("410938", "320"), ("410937", "321")] {
      let other = try #require(
        (0...9).map { "\(front)\($0)251004\(end)" }.first(where: DigitsOf.passes))
      #expect(try enciphered(other, format) != enciphered(pan, format))
    }
  }

  private static func formats() throws -> [SurrogateFormat] {
    [
      .usual, try SurrogateFormat(luhn: .pass), try SurrogateFormat(luhn: .any),
      try SurrogateFormat(first: 6), try SurrogateFormat(first: 8, last: 0),
      try SurrogateFormat(prefix: Array("9".utf8)),
      try SurrogateFormat(prefix: Array("0".utf8), last: 0, luhn: .any),
      try SurrogateFormat(length: 17),
      try SurrogateFormat(length: 32, luhn: .pass),
      try SurrogateFormat(prefix: Array("90".utf8), first: 6, last: 3, length: 20, luhn: .any),
      try SurrogateFormat(prefix: Array("9".utf8), first: 2, length: 18, luhn: .pass),
    ]
  }

  private func make(
    _ pan: String, _ format: SurrogateFormat, for merchant: String = acme, key: String = key
  ) throws -> String? {
    try DigitsOf.surrogate(pan, merchant, format, key)
  }

  private func back(_ surrogate: String, _ format: SurrogateFormat) throws -> String? {
    try DigitsOf.pan(surrogate, Self.acme, format, Self.key)
  }

  /// What FF1 made of the PAN's digits.
  private func enciphered(_ pan: String, _ format: SurrogateFormat) throws -> Substring {
    let surrogate = try #require(try make(pan, format))
    return surrogate.dropFirst(format.prefix.count + format.first + (format.luhn == .pass ? 1 : 0))
      .dropLast(format.last)
  }
}
