import Format
import Testing

@Suite struct CanonicalJSONTests {
  @Test(arguments: [
    "{}", "[]", "\"\"", "0", "-1", "true", "false", "9007199254740991", "-9007199254740991",
    "[1,2,[3]]",
    #"{"a":1,"b":{"a":[true,"x"]},"b2":""}"#,
    #""\b\t\n\f\r\"\\\u0000\u001f/""#,
    "\"\u{7F}é€𐍈\u{2028}\"",
    #"{"A":0,"a":0,"ab":0,"~":0}"#,
  ])
  func canonicalTextParsesAndWritesItself(_ text: String) throws {
    let value = try CanonicalJSON(parsing: Array(text.utf8).span, byteLimit: 1000)
    #expect(value.serialised == Array(text.utf8))
  }

  @Test(arguments: [
    "", " ", "{} ", " {}", "{}\n", "{ }", "[1 ,2]", "[1,]", "[,1]", "{,}", #"{"a":1,}"#, "[1 2]",
    "null", "tru", "True", "falsey", "1.0", "1e3", "01", "-0", "+1", "-", "00", "-01",
    "9007199254740992", "-9007199254740992", "99999999999999999999999999",
    #"{"b":1,"a":2}"#, #"{"a":1,"a":1}"#, #"{"":1}"#, #"{"a b":1}"#, #"{"\u0061":1}"#, #"{"é":1}"#,
    #"{a:1}"#, #"{"a" :1}"#, #"{"a"}"#,
    #"{"ab":1,"a":2}"#, #"{"a":1,"B":2}"#,
    #""\/""#, #""\u0041""#, #""\u000a""#, #""\u001F""#, #""\u0020""#, #""\u2028""#, #""\x""#,
    #""\"#, #"""#, #""\u00"#, #""\u001"#,
    "\"\n\"", "\"\u{01}\"", "'a'", "[", "{", "[[]", "]", "[]]", #"{"a":}"#, "\"a\"\"b\"",
    "\u{FEFF}{}",
  ])
  func anythingElseIsRefused(_ text: String) {
    #expect(throws: CanonicalJSONError.self) {
      try CanonicalJSON(parsing: Array(text.utf8).span, byteLimit: 1000)
    }
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC2], [0xC2, 0x20], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xF0, 0x90, 0x8D],
    ] as [[UInt8]])
  func malformedUTF8IsRefused(_ bytes: [UInt8]) {
    let text: [UInt8] = [0x22] + bytes + [0x22]
    #expect(throws: CanonicalJSONError.self) {
      try CanonicalJSON(parsing: text.span, byteLimit: 1000)
    }
  }

  @Test func depthAndLengthAreBounded() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    _ = try CanonicalJSON(parsing: nested(CanonicalJSON.depthLimit).span, byteLimit: 1000)
    #expect(throws: CanonicalJSONError.tooDeep(offset: 16)) {
      try CanonicalJSON(parsing: nested(CanonicalJSON.depthLimit + 1).span, byteLimit: 1000)
    }
    #expect(throws: CanonicalJSONError.tooLong) {
      try CanonicalJSON(parsing: nested(3).span, byteLimit: 5)
    }
  }

  @Test func membersAreSortedWhenWritten() {
    let value = CanonicalJSON.object([
      .init("b", .integer(2)), .init("a", .array([.bool(true), .string("q\u{1}")])),
      .init("B", .object([])),
    ])
    #expect(
      String(decoding: value.serialised, as: UTF8.self) == #"{"B":{},"a":[true,"q\u0001"],"b":2}"#)
  }

  @Test func everyByteFlipIsRefusedOrAnotherValue() throws {
    let text = Array(#"{"a":[true,1,-20],"b":{"c":"é\n\u0001"},"d":"x"}"#.utf8)
    let value = try CanonicalJSON(parsing: text.span, byteLimit: 1000)
    for i in text.indices {
      for bit in 0..<8 {
        var flipped = text
        flipped[i] ^= 1 << UInt8(bit)
        guard let other = try? CanonicalJSON(parsing: flipped.span, byteLimit: 1000) else {
          continue
        }
        #expect(other != value)
        #expect(other.serialised == flipped)
      }
    }
  }

  @Test func fieldsAreTakenOnceAndNoneIsLeft() throws {
    let value = try CanonicalJSON(
      parsing: Array(#"{"a":"x","b":7,"c":true,"d":[1],"e":{}}"#.utf8).span, byteLimit: 1000)
    var fields = try CanonicalJSONFields(value)
    #expect(try fields.string("a") == "x")
    #expect(throws: CanonicalJSONError.schema) { try fields.string("a") }
    #expect(try fields.optionalInteger("b") == 7)
    #expect(try fields.optionalBool("c") == true)
    #expect(throws: CanonicalJSONError.schema) { try fields.end() }
    #expect(try fields.array("d") == [.integer(1)])
    try fields.object("e").end()
    try fields.end()
    #expect(try fields.optionalString("z") == nil)
    #expect(throws: CanonicalJSONError.schema) { try CanonicalJSONFields(.array([])) }
    var wrong = try CanonicalJSONFields(value)
    #expect(throws: CanonicalJSONError.schema) { try wrong.integer("a") }
  }
}
