import Format
import Testing

@testable import Crypto

@Suite struct DERReaderTests {
  @Test(arguments: ["3000", "30021234", "3081800000"]) func sequences(hex: String) throws {
    var bytes = try #require(Hex.decode(hex))
    if bytes[1] == 0x81 { bytes += [UInt8](repeating: 0, count: 126) }
    var reader = DERReader(bytes.span)
    let contents = try reader.read(.sequence)
    #expect(contents.count == bytes.count - (bytes[1] == 0x81 ? 3 : 2))
    try reader.finish()
  }

  /// Nothing, another tag, a length that is cut, too long, indefinite, not minimal, or wider than
  /// any file.
  @Test(arguments: [
    "", "30", "3100", "3001", "3080", "30800000", "308100", "30817f", "30820001", "3082007f",
    "308200ff", "30840000000100", "3085",
  ])
  func refusesSequence(hex: String) throws {
    let bytes =
      try #require(Hex.decode(hex))
      + (hex == "3082007f" || hex == "30817f" ? [UInt8](repeating: 0, count: 127) : [])
    #expect(throws: CryptoError.invalidInput) {
      var reader = DERReader(bytes.span)
      _ = try reader.read(.sequence)
    }
  }

  @Test(arguments: [
    ("020100", 0), ("02017f", 127), ("02020080", 128), ("02047fffffff", Int(Int32.max)),
  ])
  func numbers(hex: String, value: Int) throws {
    let bytes = try #require(Hex.decode(hex))
    var reader = DERReader(bytes.span)
    #expect(try reader.readSmall() == value)
  }

  /// Empty, negative, not minimal, too large.
  @Test(arguments: [
    "0200", "0201ff", "020180", "02020001", "0202007f", "0205008000 0000", "0205008000000000",
    "02050100000000",
  ])
  func refusesNumber(hex: String) throws {
    let bytes = try #require(Hex.decode(hex.filter { $0 != " " }))
    #expect(throws: CryptoError.invalidInput) {
      var reader = DERReader(bytes.span)
      _ = try reader.readSmall()
    }
  }

  @Test func refusesWhatIsLeftOver() throws {
    let bytes: [UInt8] = [0x05, 0x00, 0x00]
    var reader = DERReader(bytes.span)
    _ = try reader.read(.null)
    #expect(throws: CryptoError.invalidInput) {
      var again = DERReader(bytes.span)
      _ = try again.read(.null)
      try again.finish()
    }
  }
}
