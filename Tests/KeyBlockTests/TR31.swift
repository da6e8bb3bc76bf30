import Crypto
import Format
import Foundation
import TestSupport
import Testing

/// The folder `vectors/tr31`.
enum TR31 {
  struct Block: Decodable, Sendable, CustomTestStringConvertible {
    let id, kbpk, key, block: String
    let kcv: String?
    let upstreamSaysInvalid: Bool?

    enum CodingKeys: String, CodingKey {
      case id, kbpk, key, block, kcv
      case upstreamSaysInvalid = "upstream_says_invalid"
    }

    var version: Character { block.first ?? " " }
    var testDescription: String { id }
  }

  struct CheckValue: Decodable, Sendable {
    let algorithm, key, kcv: String
  }

  struct Derivation: Decodable, Sendable {
    let id, method, kbpk, kbek, kbak: String
  }

  /// What nobody but a test allows at once.
  static let everyVersion = Set(KeyBlockVersion.allCases)

  static func blocks() throws -> [Block] {
    try JSONDecoder().decode([Block].self, from: Vectors.data("tr31/keyblocks.json"))
  }
  static func checkValues() throws -> [CheckValue] {
    try JSONDecoder().decode([CheckValue].self, from: Vectors.data("tr31/kcv.json"))
  }
  static func derivations() throws -> [Derivation] {
    try JSONDecoder().decode([Derivation].self, from: Vectors.data("tr31/kbpk-derivation.json"))
  }

  /// The rows of one table of psec's own tests of TR-31.
  static func psec(_ table: String) throws -> [[Any]] {
    let tables = try #require(
      try Vectors.json("tr31/psec-tables.json")["test_tr31"] as? [String: Any])
    let found = try #require(tables[table] as? [String: Any])
    return try #require(found["rows"] as? [[Any]])
  }
}

func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

/// Latin-1, so that a character above 7F stays one byte.
func characters(_ text: String) -> [UInt8] {
  text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}
