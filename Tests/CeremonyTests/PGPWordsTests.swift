import Ceremony
import Format
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.present, "no vectors")) struct PGPWordsTests {
  @Test func bytesAreReadAloudAsTheVectorsAre() throws {
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Vectors.data("ceremony/pgp-words-vectors.json"))
        as? [[String: String]])
    for row in rows {
      let digest = try #require(row["sha256"])
      let bytes = try #require(Hex.decode(digest))
      #expect(PGPWords.encode(bytes.span) == row["words"])
    }
    #expect(rows.count == 2)
  }

  @Test func everyByteHasItsWordAtEitherPosition() throws {
    let table = try #require(try Vectors.json("ceremony/pgp-wordlist.json")["words"] as? [[String]])
    for (value, words) in table.enumerated() {
      let twice = [UInt8(value), UInt8(value)]
      #expect(PGPWords.encode(twice.span) == words.joined(separator: " "))
    }
    #expect(table.count == 256)
  }
}
