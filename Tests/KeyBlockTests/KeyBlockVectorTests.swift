import Crypto
import Host
import TestSupport
import Testing

@testable import Crypto

@Suite(.enabled(if: Vectors.present, "no vectors")) struct KeyBlockVectorTests {
  init() throws { try #require(TestArena.ready) }

  /// All 38 blocks: 34 open, version E is refused by name, and three that their own publishers call
  /// defective are refused.
  @Test func publishedBlocksOpenToTheirKeys() throws {
    var tally = Tally()
    for row in try TR31.blocks() {
      let text = characters(row.block)
      let kbpk = try bytes(row.kbpk)
      let key = try bytes(row.key)
      let defective = row.upstreamSaysInvalid == true ? " defective" : ""
      switch unwrapped(text, kbpk, allowing: TR31.everyVersion) {
      case .success(let opened):
        tally.add("\(row.version)\(defective) \(opened == key ? "opens" : "opens to another key")")
        let (header, count) = try KeyBlockHeader.parse(text.span, allowing: TR31.everyVersion)
        #expect(header.text(blockLength: text.count) == Array(text.prefix(count)), "\(row.id)")
      case .failure(let error): tally.add("\(row.version)\(defective) \(error)")
      }
    }
    #expect(
      tally.counts == [
        "A opens": 9, "B opens": 10, "C opens": 7, "D opens": 8, "E version(69)": 1,
        "A defective length": 1, "B defective length": 1,
        "D defective optionalBlock(Crypto.OptionalBlock.Fault.data, index: 0)": 1,
      ])
  }

  /// [KS-BLOCK-OLD] Nothing but version D is read unless a caller allows that version, and E never.
  @Test func otherVersionsAreRefusedByName() throws {
    let others = try TR31.blocks().filter { $0.version != "D" }
    for row in others {
      let version = try #require(row.block.utf8.first)
      let text = characters(row.block)
      let kbpk = try bytes(row.kbpk)
      #expect(unwrapped(text, kbpk) == .failure(.version(version)), "\(row.id)")
      let allButThis = TR31.everyVersion.filter { $0.rawValue != version }
      #expect(
        unwrapped(text, kbpk, allowing: allButThis) == .failure(.version(version)), "\(row.id)")
    }
    #expect(others.count == 29)
  }

  /// [KS-BLOCK-MAC] A, B and C, with each character changed to another of its alphabet, and one bit
  /// of the KBPK.
  @Test func noCharacterOfAnOldBlockCanBeChanged() throws {
    let old = try TR31.blocks().filter {
      $0.version != "D" && $0.version != "E" && $0.upstreamSaysInvalid != true
    }
    for row in old {
      let text = characters(row.block)
      let kbpk = try bytes(row.kbpk)
      for i in text.indices {
        var changed = text
        changed[i] = text[i] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        guard case .failure = unwrapped(changed, kbpk, allowing: TR31.everyVersion) else {
          Issue.record("\(row.id): character \(i) may be another")
          continue
        }
      }
      // The lowest bit of a byte is DES parity, which no cipher looks at.
      var other = kbpk
      other[0] ^= 2
      #expect(unwrapped(text, other, allowing: TR31.everyVersion) == .failure(.mac), "\(row.id)")
    }
    #expect(old.count == 26)
  }

  /// The one for version E is nobody's.
  @Test func derivedKeys() throws {
    var tally = Tally()
    for row in try TR31.derivations() {
      let versions: [KeyBlockVersion] =
        switch row.method {
        case "variant (versions A,C)": [.a, .c]
        case "TDES CMAC derivation (version B)": [.b]
        case "AES CMAC derivation, CBC mode use (version D)": [.d]
        default: []
        }
      let kbpk = try bytes(row.kbpk)
      let kbek = try bytes(row.kbek)
      let kbak = try bytes(row.kbak)
      for version in versions {
        let keys = try BlockKeys(kbpk: kbpk.span, for: version)
        let isRight =
          ConstantTime.equal(keys.kbek.bytes, kbek.span)
          && ConstantTime.equal(keys.kbak.bytes, kbak.span)
        tally.add("\(version): \(isRight)")
      }
      if versions.isEmpty { tally.add(row.method) }
    }
    #expect(
      tally.counts == [
        "a: true": 3, "b: true": 3, "c: true": 3, "d: true": 2,
        "AES CMAC derivation, CTR mode use (version E)": 1,
      ])
  }

  @Test func checkValues() throws {
    let rows = try TR31.checkValues()
    for row in rows {
      let key = try bytes(row.key)
      let value =
        try row.algorithm == "AES" ? KeyCheckValue.aes(key.span) : KeyCheckValue.tripleDES(key.span)
      let expected = try #require(KeyCheckValue(hex: row.kcv))
      #expect(expected == (expected.bytes.count == 3 ? value.short : value), "\(row.key)")
    }
    #expect(rows.count == 17)
  }

  /// psec's tests use a KBPK of that many letters E.
  @Test func malformedBlocks() throws {
    let rows = try TR31.psec("test_kb_unwrap_exceptions")
    var refused = Tally()
    for row in rows {
      let count = try #require(row[0] as? Int)
      let text = try #require(row[1] as? String)
      let kbpk = [UInt8](repeating: UInt8(ascii: "E"), count: count)
      guard
        case .failure(let error) = unwrapped(characters(text), kbpk, allowing: TR31.everyVersion)
      else {
        Issue.record("accepted \(text)")
        continue
      }
      refused.add("\(error)")
    }
    #expect(rows.count == 38)
    #expect(
      refused.counts == [
        "header(Crypto.KeyBlockHeader.Field.length)": 1,
        "optionalBlock(Crypto.OptionalBlock.Fault.padding, index: 1)": 2,
        "length": 12, "hex": 8, "kbpk": 3, "mac": 4, "keyLength": 8,
      ])
  }

  /// What protects no block of its version; ours are of version D alone.
  @Test func keysThatCannotProtectABlock() throws {
    let rows = try TR31.psec("test_kb_wrap_exceptions")
    for row in rows {
      let version = try #require((row[0] as? String)?.utf8.first.flatMap(KeyBlockVersion.init))
      let kbpk = [UInt8](repeating: UInt8(ascii: "E"), count: try #require(row[1] as? Int))
      #expect(throws: KeyBlockError.kbpk) { _ = try BlockKeys(kbpk: kbpk.span, for: version) }
    }
    #expect(rows.count == 4)
  }

  /// [KS-BLOCK-OLD]
  @Test func anOldBlockIsNeverWritten() throws {
    let old = try #require(try TR31.blocks().first { $0.version == "B" })
    let header = try KeyBlockHeader.parse(characters(old.block).span, allowing: [.b]).header
    let key = try bytes(old.key)
    let kbpk = [UInt8](repeating: 1, count: 16)
    #expect(throws: KeyBlockError.version(0x42)) {
      try KeyBlock.wrap(key: key.span, header: header, kbpk: kbpk.span)
    }
  }
}

@Suite struct KeyCheckValueTests {
  @Test func printing() throws {
    let value = try #require(KeyCheckValue(hex: "08793e25ab"))
    #expect(value.description == "08793E 25AB")
    #expect(value.short.description == "08793E")
    #expect(String(decoding: value.hex, as: UTF8.self) == "08793E25AB")
  }

  @Test(arguments: ["", "08", "08793E25", "08793E25ABCD", "08793X", "08793E 25AB"]) func refused(
    _ text: String
  ) {
    #expect(KeyCheckValue(hex: text) == nil)
  }
}
