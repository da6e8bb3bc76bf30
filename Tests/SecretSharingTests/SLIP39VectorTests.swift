import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import Ceremony

/// SLIP-0039's own vectors, as the Python reference has them.
@Suite(.enabled(if: Vectors.present, "no vectors")) struct SLIP39VectorTests {
  init() throws { try #require(TestArena.ready) }

  /// Why the vectors that give nothing give nothing, by their numbers; every other gives its
  /// secret.
  private static let refusals: [Int: SharingError] = [
    2: .checksum, 3: .header, 5: .tooFew, 6: .otherSplit, 7: .otherSplit, 8: .otherSplit,
    9: .otherSplit, 10: .header, 11: .duplicate, 12: .otherSplit,
    13: .digest, 14: .tooFew, 15: .tooFew, 16: .tooFew, 21: .checksum, 22: .header, 24: .tooFew,
    25: .otherSplit, 26: .otherSplit, 27: .otherSplit,
    28: .otherSplit, 29: .header, 30: .duplicate, 31: .otherSplit, 32: .digest, 33: .tooFew,
    34: .tooFew, 35: .tooFew, 39: .wordCount(19),
    40: .wordCount(21),
  ]

  @Test func everyVectorGivesItsSecretOrIsRefusedByName() throws {
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Vectors.data("slip39/vectors.json")) as? [[Any]])
    var tally = Tally()
    for (index, row) in rows.enumerated() {
      let shares = try #require(row[1] as? [String])
      let secret = try #require(row[2] as? String)
      let result = Sharing.combine(shares, passphrase: "TREZOR")
      if let refusal = Self.refusals[index + 1] {
        #expect(secret.isEmpty && result == .failure(refusal), "vector \(index + 1)")
        tally.add("refused")
      } else {
        #expect(try Hex.encode(result.get()) == secret, "vector \(index + 1)")
        tally.add("combined")
      }
    }
    #expect(tally.counts == ["combined": 15, "refused": 30])
  }

  @Test func theWordListIsTheStandards() throws {
    let file = String(decoding: try Vectors.data("slip39/wordlist.txt"), as: UTF8.self)
    let words = file.split(separator: "\n")
    #expect(WordList.text.split(whereSeparator: \.isWhitespace) == words)
    for (number, word) in words.enumerated() {
      for typed in [Array(word.utf8), Array(word.utf8.prefix(4)), Array(word.uppercased().utf8)] {
        #expect(WordList.index(of: typed.span) == UInt16(number))
      }
    }
    #expect(words.count == 1024)
  }
}
