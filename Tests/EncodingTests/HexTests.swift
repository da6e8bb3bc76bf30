import Format
import Testing

@Suite("Hex")
struct HexTests {
  @Test(
    "round trips",
    arguments: [[], [0], [0x0F, 0xF0], [1, 35, 69, 103, 137, 171, 205, 239]] as [[UInt8]])
  func roundTrip(_ bytes: [UInt8]) {
    #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    #expect(Hex.decode(Hex.encode(bytes).uppercased()) == bytes)
  }

  @Test("writes lower case") func lowerCase() {
    #expect(Hex.encode([0xAB, 0xCD, 0x09]) == "abcd09")
  }

  @Test("knows its own text from every other") func isEncoded() {
    let bytes = (0..<32).map { UInt8(37 * $0 % 256) }
    let text = Array(Hex.encode(bytes).utf8)
    func isEncoded(_ text: [UInt8]) -> Bool { Hex.isEncoded(bytes.span, as: text.span) }
    #expect(isEncoded(text))
    #expect(!isEncoded(text.dropLast()))
    #expect(!isEncoded(Array(Hex.encode(bytes).uppercased().utf8)))
    for place in text.indices {
      for bit in 0..<8 {
        var other = text
        other[place] ^= 1 << UInt8(bit)
        #expect(!isEncoded(other))
      }
    }
  }

  @Test(
    "refuses odd lengths and other characters",
    arguments: ["a", "abc", "0g", "g0", " 00", "0x00", "@@", "//", "::", "``", "é"])
  func refused(_ text: String) { #expect(Hex.decode(text) == nil) }
}
