import Encoding
import Testing

@Suite("Hex")
struct HexTests {
  @Test("round trips", arguments: [[], [0], [0x0F, 0xF0], [1, 35, 69, 103, 137, 171, 205, 239]] as [[UInt8]])
  func roundTrip(_ bytes: [UInt8]) {
    #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    #expect(Hex.decode(Hex.encode(bytes).uppercased()) == bytes)
  }

  @Test("writes lower case") func lowerCase() { #expect(Hex.encode([0xAB, 0xCD, 0x09]) == "abcd09") }

  @Test("refuses odd lengths and other characters", arguments: ["a", "abc", "0g", "g0", " 00", "0x00", "@@", "//", "::", "``", "é"])
  func refused(_ text: String) { #expect(Hex.decode(text) == nil) }
}
