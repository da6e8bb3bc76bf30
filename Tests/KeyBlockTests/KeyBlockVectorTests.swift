import CryptoBackend
import SecretMemory
import TestSupport
import Testing

@testable import KeyBlock

@Suite(.enabled(if: Vectors.present, "no vectors")) struct KeyBlockVectorTests {
  init() throws { try #require(TestArena.ready) }

  @Test func publishedBlocksOpenToTheirKeys() throws {
    let good = try TR31.blocks().filter { $0.version == "D" && $0.upstreamSaysInvalid != true }
    for row in good {
      #expect(try unwrapped(characters(row.block), bytes(row.kbpk)) == .success(try bytes(row.key)), "\(row.id)")
      let header = try KeyBlockHeader.parse(characters(row.block).span)
      #expect(String(decoding: header.header.text(blockLength: row.block.utf8.count), as: UTF8.self) == row.block.prefix(header.count), "\(row.id)")
    }
    #expect(good.count == 8)
  }

  /// Importing A, B and C is the ceremony's business; E is nobody's.
  @Test func otherVersionsAreRefusedByVersion() throws {
    let others = try TR31.blocks().filter { $0.version != "D" }
    for row in others {
      let version = try #require(row.block.utf8.first)
      #expect(try unwrapped(characters(row.block), bytes(row.kbpk)) == .failure(.version(version)), "\(row.id)")
    }
    #expect(others.count == 29)
  }

  @Test func theDefectivePublishedBlockIsRefused() throws {
    let defective = try TR31.blocks().filter { $0.version == "D" && $0.upstreamSaysInvalid == true }
    for row in defective {
      #expect(try unwrapped(characters(row.block), bytes(row.kbpk)) == .failure(.optionalBlock(.data, index: 0)), "\(row.id)")
    }
    #expect(defective.count == 1)
  }

  @Test func derivedKeys() throws {
    let rows = try TR31.derivations().filter { $0.method.contains("version D") }
    for row in rows {
      let (kbpk, kbek, kbak) = (try bytes(row.kbpk), try bytes(row.kbek), try bytes(row.kbak))
      let keys = try BlockKeys(kbpk: kbpk.span)
      let isRight = ConstantTime.equal(keys.kbek.bytes, kbek.span) && ConstantTime.equal(keys.kbak.bytes, kbak.span)
      #expect(isRight, "\(row.id)")
    }
    #expect(rows.count == 2)
  }

  @Test func checkValues() throws {
    let rows = try TR31.checkValues()
    for row in rows {
      let key = try bytes(row.key)
      let value = try row.algorithm == "AES" ? KeyCheckValue.aes(key.span) : KeyCheckValue.tripleDES(key.span)
      let expected = try #require(KeyCheckValue(hex: row.kcv))
      #expect(expected == (expected.bytes.count == 3 ? value.short : value), "\(row.key)")
    }
    #expect(rows.count == 17)
  }

  /// psec's tests use a KBPK of that many letters E.
  @Test func malformedBlocks() throws {
    let rows = try TR31.psec("test_kb_unwrap_exceptions")
    var refused: [String: Int] = [:]
    for row in rows {
      let (count, text) = (try #require(row[0] as? Int), try #require(row[1] as? String))
      let kbpk = [UInt8](repeating: UInt8(ascii: "E"), count: count)
      guard case .failure(let error) = unwrapped(characters(text), kbpk) else {
        Issue.record("accepted \(text)")
        continue
      }
      refused["\(error)", default: 0] += 1
    }
    #expect(rows.count == 38)
    #expect(refused == ["version(65)": 9, "version(66)": 11, "version(67)": 9, "length": 3, "hex": 2, "mac": 1, "keyLength": 2, "kbpk": 1])
  }

  @Test func keysThatCannotProtectABlock() throws {
    let rows = try TR31.psec("test_kb_wrap_exceptions").filter { $0[0] as? String == "D" }
    for row in rows {
      let kbpk = [UInt8](repeating: UInt8(ascii: "E"), count: try #require(row[1] as? Int))
      let key = [UInt8](repeating: 1, count: try #require(row[2] as? Int))
      let header = try KeyBlockHeader(usage: .dataEncryption, algorithm: .aes, mode: .encryptDecrypt)
      #expect(throws: KeyBlockError.kbpk) { try KeyBlock.wrap(key: key.span, header: header, kbpk: kbpk.span) }
    }
    #expect(rows.count == 1)
  }
}

@Suite struct KeyCheckValueTests {
  @Test func printing() throws {
    let value = try #require(KeyCheckValue(hex: "08793e25ab"))
    #expect(value.description == "08793E 25AB")
    #expect(value.short.description == "08793E")
    #expect(String(decoding: value.hex, as: UTF8.self) == "08793E25AB")
  }

  @Test(arguments: ["", "08", "08793E25", "08793E25ABCD", "08793X", "08793E 25AB"]) func refused(_ text: String) {
    #expect(KeyCheckValue(hex: text) == nil)
  }
}
