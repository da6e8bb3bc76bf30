import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import Crypto

/// Blocks between Kist and psec; `Tests/interop/psec_blocks.py` says how to run both sides.
struct PsecRow: Codable {
  let kbpk, key, block: String

  static func read(_ url: URL) throws -> [PsecRow] {
    try JSONDecoder().decode([PsecRow].self, from: Data(contentsOf: url))
  }

  func expectToOpen() throws {
    let text = characters(block)
    #expect(
      try unwrapped(text, bytes(kbpk), allowing: TR31.everyVersion) == .success(try bytes(key)),
      "\(block)")
    let (header, count) = try KeyBlockHeader.parse(text.span, allowing: TR31.everyVersion)
    #expect(
      String(decoding: header.text(blockLength: block.utf8.count), as: UTF8.self)
        == block.prefix(count))
  }
}

@Suite struct PsecInteropBlockTests {
  /// Where the script exchanges blocks with us; without it, psec's are those of the repository and
  /// ours stay here.
  private let exchange = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"].map {
    URL(fileURLWithPath: $0)
  }
  private let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("interop/psec_blocks.json")

  init() throws { try #require(TestArena.ready) }

  @Test func blocksThatPsecWroteOpen() throws {
    let rows = try PsecRow.read(exchange?.appendingPathComponent("psec-blocks.json") ?? fixture)
    for row in rows { try row.expectToOpen() }
    #expect(rows.count { $0.block.hasPrefix("D") } == 32)
    #expect(rows.count == 59)
  }

  @Test func blocksForPsec() throws {
    let sorts: [(HeaderCode, KeyBlockAlgorithm, ModeOfUse, Int)] = [
      (.dataEncryption, .aes, .encryptDecrypt, 16), (.dataEncryption, .aes, .encryptDecrypt, 24),
      (.keyEncryption, .aes, .encryptDecrypt, 32),
      (.hmac, .hmac, .generateOnly, 32), (.hmac, .hmac, .generateOnly, 64),
      (.dataEncryption, .tripleDES, .encryptDecrypt, 24),
      (.keyAgreement, .ellipticCurve, .deriveOnly, 121),
      (.asymmetricDataEncryption, .rsa, .decryptOnly, 2349),
    ]
    var rows: [PsecRow] = []
    for (usage, algorithm, mode, count) in sorts {
      for kbpkCount in [16, 24, 32] {
        for labelCount in [0, 1, 11, 12, 13, OptionalBlock.longestData] {
          let label = try #require(OptionalBlock.label(String(repeating: "l", count: labelCount)))
          let header = try KeyBlockHeader(
            usage: usage, algorithm: algorithm, mode: mode, optionalBlocks: [label])
          let kbpk = try Random.bytes(kbpkCount)
          let key = try Random.bytes(count)
          let block = try KeyBlock.wrap(key: key.span, header: header, kbpk: kbpk.span)
          rows.append(
            PsecRow(
              kbpk: Hex.encode(kbpk), key: Hex.encode(key),
              block: String(decoding: block, as: UTF8.self)))
        }
      }
    }
    for row in rows { try row.expectToOpen() }
    #expect(rows.count == 144)
    if let exchange {
      try JSONEncoder().encode(rows).write(to: exchange.appendingPathComponent("kist-blocks.json"))
    }
  }
}
