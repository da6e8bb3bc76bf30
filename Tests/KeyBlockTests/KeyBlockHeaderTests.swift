import Crypto
import TestSupport
import Testing

@Suite struct KeyBlockHeaderTests {
  static func parse(_ text: [UInt8], allowing versions: Set<KeyBlockVersion> = [.d]) -> Result<
    KeyBlockHeader, KeyBlockError
  > {
    do throws(KeyBlockError) {
      return .success(try KeyBlockHeader.parse(text.span, allowing: versions).header)
    } catch { return .failure(error) }
  }

  static let readable = [
    "D0000K3EX00N0000",
    "D0000D1RD00E0000",
    "D0000M7HG12S0000",
    "D0000K0ABc1N0000",
    "D0000S0ES00N0100LB10abcdefghijkl",
    "D0000S0ES00N0200LB09hallo" + "PB1700000000000000000000000"[...].prefix(23),
    "D0000S0ES00N0200LB0AhalloXPB06~~",
  ]

  @Test(arguments: readable) func aHeaderIsReadAndWrittenBackAsItWas(_ text: String) throws {
    let header = try Self.parse(Array(text.utf8)).get()
    #expect(String(decoding: header.text(blockLength: 0), as: UTF8.self) == text)
    #expect(header.count == text.utf8.count)
  }

  static let fixed: [(String, KeyBlockError)] = [
    ("", .length),
    ("D0000K3EX00N000", .length),
    ("A0000K3EX00N0000", .version(0x41)),
    ("B0000K3EX00N0000", .version(0x42)),
    ("C0000K3EX00N0000", .version(0x43)),
    ("E0000K3EX00N0000", .version(0x45)),
    ("d0000K3EX00N0000", .version(0x64)),
    ("D00x0K3EX00N0000", .header(.length)),
    ("D 100K3EX00N0000", .header(.length)),
    ("D0000k3EX00N0000", .header(.usage)),
    ("D0000K_EX00N0000", .header(.usage)),
    ("D0000K3eX00N0000", .header(.algorithm)),
    ("D0000K3QX00N0000", .header(.algorithm)),
    ("D0000K3EZ00N0000", .header(.mode)),
    ("D0000K3Ex00N0000", .header(.mode)),
    ("D0000K3EX0_N0000", .header(.keyVersion)),
    ("D0000K3EX0cN0000", .header(.keyVersion)),
    ("D0000K3EX00n0000", .header(.exportability)),
    ("D0000K3EX00Q0000", .header(.exportability)),
    ("D0000K3EX00N0X00", .header(.blockCount)),
    ("D0000K3EX00N0010", .header(.reserved)),
    ("D0000K3EX00N0001", .header(.reserved)),
  ]

  /// [KS-BLOCK-VERSION] [KS-BLOCK-HEADER]
  @Test(arguments: fixed) func aWrongFieldIsRefusedByName(_ text: String, _ error: KeyBlockError) {
    #expect(Self.parse(Array(text.utf8)) == .failure(error))
  }

  static let optional: [(String, OptionalBlock.Fault, Int)] = [
    ("01", .id, 0),
    ("01L", .id, 0),
    ("01lB10abcdefghijkl", .id, 0),
    ("01LB", .length, 0),
    ("01LB1", .length, 0),
    ("01LB0gabcdefghijkl", .length, 0),
    ("01LB0cabcdefgh", .length, 0),
    ("01LB03abcdefghijkl", .length, 0),
    ("01LB11abcdefghijkl", .data, 0),
    ("01LB10abcdefghijk\u{7F}", .data, 0),
    ("01LB10abcdefghijk\n", .data, 0),
    ("01KS10abcdefghijkl", .data, 0),
    ("01KC1001d77f007724", .data, 0),
    // Not on a boundary, and nothing that fills it.
    ("01LB0Fabcdefghijk", .padding, 1),
    // Padding that is not last.
    ("02PB10000000000000LB10abcdefghijkl", .padding, 0),
    ("02LB10abcdefghijklLB10abcdefghijkl", .duplicate, 1),
    ("02LB10abcdefghijkl", .id, 1),
    // The extended form: psec's count of bytes, a short length in the long form, another number of
    // digits.
    ("01CT00020264" + String(repeating: "x", count: 600), .length, 0),
    ("01CT00040010000000", .length, 0),
    ("01CT000400FF" + String(repeating: "x", count: 245), .length, 0),
    ("01CT0003100" + String(repeating: "x", count: 245), .length, 0),
    ("01CT00040110" + String(repeating: "x", count: 261), .data, 0),
  ]

  /// [KS-BLOCK-OPTIONAL]
  @Test(arguments: optional) func aWrongOptionalBlockIsRefusedByName(
    _ row: (text: String, fault: OptionalBlock.Fault, index: Int)
  ) {
    let text = "D0000S0ES00N" + row.text.prefix(2) + "00" + row.text.dropFirst(2)
    #expect(Self.parse(characters(text)) == .failure(.optionalBlock(row.fault, index: row.index)))
  }

  @Test func aLongOptionalBlockIsReadInTheStandardsForm() throws {
    let text = "D0000S0ES00N0100CT00040110" + String(repeating: "x", count: 0x110 - 10)
    let header = try Self.parse(Array(text.utf8)).get()
    #expect(header.optionalBlocks.first?.data.count == 0x110 - 10)
    #expect(String(decoding: header.text(blockLength: 0), as: UTF8.self) == text)
  }

  @Test(arguments: 0...40) func writtenHeadersEndOnABoundary(_ count: Int) throws {
    let label = try #require(OptionalBlock.label(String(repeating: "x", count: count)))
    let header = try KeyBlockHeader(
      usage: .keyAgreement, algorithm: .ellipticCurve, mode: .deriveOnly, optionalBlocks: [label])
    #expect(header.count.isMultiple(of: 16))
    #expect(Self.parse(header.text(blockLength: 0)) == .success(header))
  }

  @Test func whatCannotBeReadCannotBeWritten() throws {
    #expect(OptionalBlock.label(String(repeating: "x", count: OptionalBlock.longestData)) != nil)
    #expect(
      OptionalBlock.label(String(repeating: "x", count: OptionalBlock.longestData + 1)) == nil)
    #expect(OptionalBlock.label("a\u{E9}") == nil)
    #expect(OptionalBlock(id: .padding, data: []) == nil)
    #expect(OptionalBlock(id: .keySerialNumber, data: Array("xy".utf8)) == nil)
    let label = try #require(OptionalBlock.label("twice"))
    #expect(throws: KeyBlockError.optionalBlock(.duplicate, index: 1)) {
      try KeyBlockHeader(
        usage: .keyAgreement, algorithm: .ellipticCurve, mode: .deriveOnly,
        optionalBlocks: [label, label])
    }
  }
}

@Suite(.enabled(if: Vectors.present, "no vectors")) struct MalformedHeaderVectorTests {
  private func refused(_ text: String) -> Bool {
    if case .failure = KeyBlockHeaderTests.parse(characters(text), allowing: TR31.everyVersion) {
      true
    } else {
      false
    }
  }

  /// psec's rows are of version B, which is refused as such unless allowed; what is wrong with them
  /// is as wrong in version D.
  @Test func malformedOptionalBlocks() throws {
    let rows = try TR31.psec("test_header_block_load_exceptions")
    for row in rows {
      let text = try #require(row[0] as? String)
      #expect(KeyBlockHeaderTests.parse(characters(text)) == .failure(.version(0x42)))
      for version in KeyBlockVersion.allCases {
        let text = [version.rawValue] + characters(text).dropFirst()
        guard case .failure(.optionalBlock) = KeyBlockHeaderTests.parse(text, allowing: [version])
        else {
          Issue.record("accepted \(text)")
          continue
        }
      }
    }
    #expect(rows.count == 35)
  }

  @Test func malformedHeaders() throws {
    let rows = try TR31.psec("test_header_load_exceptions")
    for row in rows {
      #expect(refused(try #require(row[0] as? String)))
    }
    #expect(rows.count == 4)
  }

  @Test func malformedFields() throws {
    let rows = try TR31.psec("test_header_attributes_exceptions")
    for row in rows {
      let fields = try row.prefix(6).map { try #require($0 as? String) }
      #expect(refused(fields[0] + "0000" + fields[1...5].joined() + "0000"), "\(fields)")
    }
    #expect(rows.count == 18)
  }
}
