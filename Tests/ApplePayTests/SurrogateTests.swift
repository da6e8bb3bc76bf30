import ApplePay
import Format
import Host
import TestSupport
import Testing

@Suite struct SurrogateTests {
  private static let key = [UInt8](repeating: 0x4B, count: 32)
  private static let acme = "merchant.com.acme"

  @Test("[OP-SURR-2] as many digits, the last four, never a PAN, and back again") func properties()
    throws
  {
    try #require(TestArena.ready)
    for (index, pan) in PANs(seed: 1).prefix(4000).enumerated() {
      let surrogate = try make(pan)
      #expect(surrogate.count == pan.count && surrogate.suffix(4) == pan.suffix(4))
      #expect(surrogate.utf8.allSatisfy { (0x30...0x39).contains($0) })
      #expect(!passes(surrogate), "number \(index) became a PAN")
      #expect(try back(surrogate) == pan)
    }
  }

  @Test(
    "[OP-SURR-2] one surrogate for one PAN: all hundred thousand of ten digits with one last four")
  func injective() throws {
    try #require(TestArena.ready)
    var seen: Set<String> = []
    var count = 0
    for middle in stride(from: 0, to: 1_000_000, by: 97) {
      let digits = String(repeating: "0", count: 6 - String(middle).count) + String(middle)
      let pan = digits + "4242"
      guard passes(pan) else { continue }
      count += 1
      seen.insert(try make(pan))
    }
    #expect(count > 900)
    #expect(seen.count == count)
  }

  @Test(
    "[OP-SURR-2] every text of a domain is a PAN, has one as its inverse, or is refused; each PAN is found once"
  ) func inverses() throws {
    try #require(TestArena.ready)
    var (found, refused): (Set<String>, Int) = ([], 0)
    for middle in 0..<2000 {
      let text = String(repeating: "0", count: 6 - String(middle).count) + String(middle) + "0006"
      guard let pan = try? back(text) else {
        refused += 1
        continue
      }
      #expect(try make(pan) == text)
      #expect(found.insert(pan).inserted)
    }
    // A tenth are PANs; of the others, which are nine times as many as the PANs, one in nine is a
    // surrogate.
    #expect((130...270).contains(found.count))
    #expect(refused == 2000 - found.count)
  }

  @Test("[OP-SURR-3] the same again for one merchant, another for any other") func merchants()
    throws
  {
    try #require(TestArena.ready)
    let pan = "4109370251004320"
    let first = try make(pan)
    #expect(try make(pan) == first)
    let merchants = [
      Self.acme, "merchant.com.acm", "merchant.com.acme.", "merchant.com.acmf", "Merchant.com.acme",
    ]
    #expect(Set(try merchants.map { try make(pan, for: $0) }).count == merchants.count)
    #expect(try make(pan, key: [UInt8](repeating: 0x4C, count: 32)) != first)
    for other in merchants.dropFirst() { #expect((try? back(first, for: other)) != pan) }
  }

  /// Last four ‖ merchant could be read in two ways if the first part could have another length.
  @Test("[OP-SURR-3] digits at the front of an identifier are not taken for last digits")
  func tweak() throws {
    try #require(TestArena.ready)
    #expect(
      try make("4109370251004320", for: "1merchant") != make("4109370251004320", for: "merchant"))
  }

  @Test(
    "[OP-SURR-1] what is no PAN has no surrogate",
    arguments: [
      "", "0", "123456782", "18014598509481984010", "4109370251004321", "410937025100432",
      "4109370251004320 ", "410937025100432O",
      "４109370251004", "4109-3702-5100-4320", "00000000000000000000",
    ])
  func refusesPAN(_ text: String) throws {
    try #require(TestArena.ready)
    #expect(throws: PANError.notPAN) { _ = try make(text) }
  }

  @Test(
    "[OP-SURR-1] ten and nineteen digits have one",
    arguments: ["0123456782", "6304000000000000000"]) func bounds(_ pan: String) throws
  {
    try #require(TestArena.ready)
    try #require(passes(pan))
    #expect(try back(make(pan)) == pan)
  }

  @Test(
    "[OP-SURR-5] a PAN, or what is no number, is no surrogate",
    arguments: ["4109370251004320", "", "123456789", "41093702510043x1"])
  func refusesSurrogate(_ text: String) throws {
    try #require(TestArena.ready)
    #expect(throws: PANError.notSurrogate) { _ = try back(text) }
  }

  private func make(_ pan: String, for merchant: String = acme, key: [UInt8] = key) throws -> String
  {
    let pan = Array(pan.utf8)
    let merchant = Array(merchant.utf8)
    let made = try Surrogate.make(of: pan.span, merchant: merchant.span, key: key.span)
    return String(decoding: made.bytes.array, as: UTF8.self)
  }

  private func back(_ surrogate: String, for merchant: String = acme) throws -> String {
    let surrogate = Array(surrogate.utf8)
    let merchant = Array(merchant.utf8)
    let pan = try Surrogate.pan(of: surrogate.span, merchant: merchant.span, key: Self.key.span)
    return String(decoding: pan.bytes.array, as: UTF8.self)
  }
}

private func passes(_ digits: String) -> Bool {
  let bytes = Array(digits.utf8)
  return PAN.isLuhnValid(bytes.span)
}

/// PANs of all lengths, the same ones every time.
private struct PANs: Sequence, IteratorProtocol {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> String? {
    let count = 9 + Int(draw() % 10)
    let digits = (0..<count).map { _ in Character(String(draw() % 10)) }
    return (0...9).lazy.map { String(digits) + String($0) }.first(where: passes)
  }

  private mutating func draw() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
