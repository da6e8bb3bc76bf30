import Format
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
  @Test(
    "takes any RFC 8259 text",
    arguments: [
      ("{}", JSONReader.Kind.object), (" [ ] ", .array), ("\"\"", .string), ("0", .number),
      ("true", .bool), ("false", .bool),
      ("null", .null), ("-0.0e-0", .number), ("1E+9", .number),
      ("[1,[2,{\"a\":[]}],\"x\"]", .array), ("\t{\r\n\"a\" : 1 , \"b\":2}\n", .object),
      ("\"\u{7F}é€😀\"", .string), (#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#, .string),
    ])
  func accepted(_ text: String, _ kind: JSONReader.Kind) throws {
    let bytes = Array(text.utf8)
    #expect(try JSONReader(bytes.span).root.kind == kind)
  }

  @Test(
    "refuses any other",
    arguments: [
      "", " ", "{", "}", "[", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
      "{,\"a\":1}", "{a:1}", "{1:1}", "{\"a\" 1}",
      "'a'", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\n\"", "\"\u{0}\"", "-",
      "+1", "1.", ".5", "1e", "1e+",
      "NaN", "Infinity", "nul", "True", "[1 2]", "// c\n1", "\u{FEFF}1",
      #""\ud83d""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ude00""#, #""\ud83d\ud83d""#,
      #""\ud83d\u0041""#,
    ])
  func refused(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(throws: JSONReaderError.malformed) { _ = try JSONReader(bytes.span).root }
  }

  @Test(
    "refuses text behind the value",
    arguments: ["{}{}", "1 2", "true,", "{} \u{0}", "0 0", "00", "01", "0x10"])
  func leftover(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(throws: JSONReaderError.leftover) { _ = try JSONReader(bytes.span).root }
  }

  @Test(
    "refuses bytes that are not UTF-8",
    arguments: [
      "80", "C0AF", "C1BF", "C3", "C328", "E08080", "E09F80", "EDA080", "EDBFBF", "E282",
      "F0808080", "F08FBFBF", "F4908080", "F5808080", "FF",
    ])
  func notUTF8(_ hex: String) throws {
    let bytes = [0x22] + (try #require(Hex.decode(hex))) + [0x22]
    #expect(throws: JSONReaderError.malformed) { _ = try JSONReader(bytes.span).root }
  }

  @Test(
    "refuses a name given twice, in any spelling and at any depth",
    arguments: [
      #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"{"/":1,"\/":2}"#,
      #"[{"x":{"é":1,"\u00E9":2}}]"#, #"{"":1,"":2}"#,
    ])
  func duplicates(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(throws: JSONReaderError.duplicateName) { _ = try JSONReader(bytes.span).root }
  }

  @Test("takes names that only look alike")
  func distinctNames() throws {
    let bytes = Array(#"{"a":1,"A":2,"aa":3,"":4,"b":{"a":5}}"#.utf8)
    let reader = try JSONReader(bytes.span)
    let value = try #require(try reader.member("aa", of: reader.root))
    #expect(Hex.encode(reader.bytes(of: value)) == "33")
    #expect(try reader.member("c", of: reader.root) == nil)
  }

  @Test("gives each member's text as written, in order")
  func members() throws {
    let text = #"{ "n" : -1.50e2 , "o": {"x": [1, "]}"] } ,"s":"\/" }"#
    let bytes = Array(text.utf8)
    let reader = try JSONReader(bytes.span)
    var members = try reader.members(of: reader.root)
    var seen: [String] = []
    while let member = try members.next() {
      seen.append(
        spelled(reader.bytes(of: member.name)) + "=" + spelled(reader.bytes(of: member.value)))
    }
    #expect(seen == [#""n"=-1.50e2"#, #""o"={"x": [1, "]}"] }"#, #""s"="\/""#])
    let string = try #require(try reader.member("s", of: reader.root))
    #expect(throws: JSONReaderError.wrongKind) { _ = try reader.member("s", of: string) }
    #expect(throws: JSONReaderError.wrongKind) { _ = try reader.decodedCount(of: reader.root) }
  }

  @Test(
    "decodes strings into the caller's memory",
    arguments: [
      (#""""#, ""), (#""plain""#, "plain"), (#""a\/b\\\"\b\f\n\r\t""#, "a/b\\\"\u{8}\u{C}\n\r\t"),
      (#""\u0041\u00e9\u20AC\uD83D\uDE00\u0000""#, "Aé€😀\u{0}"),
      ("\"é€😀\"", "é€😀"),
    ])
  func decode(_ text: String, _ meaning: String) throws {
    let bytes = Array(text.utf8)
    let reader = try JSONReader(bytes.span)
    let expected = Array(meaning.utf8)
    #expect(try reader.decodedCount(of: reader.root) == expected.count)
    #expect(try reader.string(reader.root, equals: meaning))
    #expect(try !reader.string(reader.root, equals: meaning + "x"))
    var out = [UInt8](repeating: 0xEE, count: expected.count)
    var span = out.mutableSpan
    #expect(try reader.decode(reader.root, into: &span) == expected.count)
    #expect(out == expected)
    guard !expected.isEmpty else { return }
    var short = [UInt8](repeating: 0, count: expected.count - 1)
    #expect(throws: JSONReaderError.tooLong) {
      var span = short.mutableSpan
      _ = try reader.decode(reader.root, into: &span)
    }
  }

  @Test("nests to its depth and no further", arguments: ["[", "{\"a\":"])
  func depth(_ open: String) throws {
    let close = open == "[" ? "]" : "}"
    func nested(_ levels: Int) -> [UInt8] {
      Array(
        (String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels))
          .utf8)
    }
    let fits = nested(JSONReader.Limits().depth)
    _ = try JSONReader(fits.span).root
    let over = nested(JSONReader.Limits().depth + 1)
    #expect(throws: JSONReaderError.tooDeep) { _ = try JSONReader(over.span).root }
    let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 60_000)
    #expect(throws: JSONReaderError.tooDeep) { _ = try JSONReader(bomb.span).root }
  }

  @Test("counts values, members and bytes")
  func limits() throws {
    func list(_ n: Int) -> [UInt8] {
      Array(("[" + (0..<n).map { "\($0)" }.joined(separator: ",") + "]").utf8)
    }
    func object(_ n: Int) -> [UInt8] {
      Array(("{" + (0..<n).map { "\"\($0)\":0" }.joined(separator: ",") + "}").utf8)
    }
    let standard = JSONReader.Limits()
    for (fits, over) in [
      (list(standard.values - 1), list(standard.values)),
      (object(standard.membersPerObject), object(standard.membersPerObject + 1)),
    ] {
      _ = try JSONReader(fits.span).root
      #expect(throws: JSONReaderError.tooMany) { _ = try JSONReader(over.span).root }
    }
    var small = JSONReader.Limits()
    small.textBytes = 12
    small.tokenBytes = 5
    for text in ["\"1234\"", "123456", "[1,2,3,4,5,6]"] {
      let bytes = Array(text.utf8)
      #expect(throws: JSONReaderError.tooLong) {
        _ = try JSONReader(bytes.span, limits: small).root
      }
    }
    let fits = Array("[\"123\",12345]".dropLast(2).utf8) + [UInt8(ascii: "]")]
    _ = try JSONReader(fits.span, limits: small).root
  }

  @Test("survives truncation and every flipped bit at every byte")
  func mutations() throws {
    let bytes = Array(#"{"a":"\u00e9\ud83d\ude00é","b":[1,-2.5e3,true,null],"c":{"d":{}}}"#.utf8)
    for end in 0..<bytes.count {
      let part = Array(bytes[..<end])
      #expect(throws: JSONReaderError.self) { _ = try JSONReader(part.span).root }
    }
    for i in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[i] ^= 1 << bit
        _ = try? JSONReader(flipped.span).root  // must return, whatever it says
      }
    }
  }
}

private func spelled(_ bytes: Span<UInt8>) -> String {
  String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
}
