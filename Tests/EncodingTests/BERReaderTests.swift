import Format
import Testing

@Suite("BER reader")
struct BERReaderTests {
  @Test(
    "reads definite and indefinite lengths alike",
    arguments: [
      "30 06 02 01 05 04 01 AA",
      "30 81 06 02 01 05 04 01 AA",
      "30 84 00 00 00 06 02 01 05 04 01 AA",
      "30 80 02 01 05 04 01 AA 00 00",
      "30 80 02 81 01 05 04 84 00 00 00 01 AA 00 00",
    ])
  func sequence(_ hex: String) throws {
    let bytes = try #require(Hex.decode(hex.filter { $0 != " " }))
    #expect(try summary(bytes) == "30(02:05,04:AA)")
  }

  @Test(
    "tells the forms of length apart",
    arguments: [("0400", "minimal"), ("048100", "padded"), ("24800000", "indefinite")])
  func lengthForms(_ hex: String, _ form: String) throws {
    let bytes = try #require(Hex.decode(hex))
    var reader = BERReader(bytes.span)
    #expect("\(try reader.next().lengthForm)" == form)
    try reader.finish()
  }

  @Test(
    "refuses what is not whole",
    arguments: [
      ("", BERError.unexpected), ("30", .truncated), ("3001", .truncated), ("3082", .truncated),
      ("308201", .truncated),
      ("30800201", .truncated), ("308002010500", .truncated), ("308030800000", .truncated),
      ("308430000000", .truncated), ("3084FFFFFFFF", .truncated), ("04847FFFFFFF00", .truncated),
      ("30850000000000", .badLength), ("30FF", .badLength), ("0480AA0000", .badLength),
      ("1F0100", .badTag), ("3F8000", .badTag), ("0000", .badTag), ("30800001AA0000", .badTag),
    ])
  func refused(_ hex: String, _ error: BERError) throws {
    let bytes = try #require(Hex.decode(hex))
    #expect(throws: error) { try walk(bytes) }
  }

  @Test("refuses what is left over, in and behind an element")
  func leftover() throws {
    #expect(throws: BERError.leftover) {
      let bytes: [UInt8] = [0x30, 0x00, 0x00]
      var reader = BERReader(bytes.span)
      _ = try reader.next(0x30)
      try reader.finish()
    }
    #expect(throws: BERError.unexpected) {
      let bytes: [UInt8] = [0x30, 0x00]
      var reader = BERReader(bytes.span)
      _ = try reader.next(0x31)
    }
    #expect(throws: BERError.unexpected) {
      let bytes: [UInt8] = [0x04, 0x02, 0x05, 0x00]
      var reader = BERReader(bytes.span)
      _ = try reader.next().children
    }
  }

  @Test("nests to its depth and no further, in both forms", arguments: [true, false])
  func depth(_ indefinite: Bool) throws {
    func nested(_ levels: Int) -> [UInt8] {
      (0..<levels).reduce([]) { inner, _ in
        indefinite ? [0x30, 0x80] + inner + [0x00, 0x00] : [0x30, UInt8(inner.count)] + inner
      }
    }
    try walk(nested(BERReader.maximumDepth))
    #expect(throws: BERError.tooDeep) { try walk(nested(BERReader.maximumDepth + 2)) }
    let deepest: [UInt8] = .init(repeating: 0, count: 100_000).enumerated().map {
      $0.offset.isMultiple(of: 2) ? 0x30 : 0x80
    }
    #expect(throws: BERError.tooDeep) { try walk(deepest) }
  }

  @Test("looks at so many elements and no more, in both forms")
  func elementCount() throws {
    let nulls = [[UInt8]](repeating: [0x05, 0x00], count: BERReader.maximumElements + 1).flatMap {
      $0
    }
    try walk(Array(nulls.dropFirst(2)))
    #expect(throws: BERError.tooManyElements) { try walk(nulls) }
    #expect(throws: BERError.tooManyElements) { try walk([0x30, 0x80] + nulls + [0x00, 0x00]) }
  }

  @Test("survives truncation and every flipped bit at every byte")
  func mutations() throws {
    let bytes = try #require(
      Hex.decode(
        "308006092A864886F70D010702A080308002010131003080060A2B00003003020105000000000000000000"))
    for end in 0..<bytes.count { #expect(throws: BERError.self) { try walk(Array(bytes[..<end])) } }
    for i in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[i] ^= 1 << bit
        try? walk(flipped)  // must return, whatever it says
      }
    }
  }
}

/// Reads everything, to the leaves.
private func walk(_ bytes: [UInt8]) throws(BERError) {
  let reader = BERReader(bytes.span)
  guard !reader.isAtEnd else { throw .unexpected }
  try walk(reader)
}

private func walk(_ start: borrowing BERReader) throws(BERError) {
  var reader = copy start
  while !reader.isAtEnd {
    let element = try reader.next()
    if element.tag & 0x20 != 0, !element.content.isEmpty { try walk(element.children) }
  }
  try reader.finish()
}

private func summary(_ bytes: [UInt8]) throws -> String {
  var reader = BERReader(bytes.span)
  let outer = try reader.next(0x30)
  try reader.finish()
  var inner = try outer.children
  let integer = try inner.next(0x02)
  let octets = try inner.next(0x04)
  try inner.finish()
  return "30(02:\(Hex.encode(integer.content)),04:\(Hex.encode(octets.content).uppercased()))"
}
