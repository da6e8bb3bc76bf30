import Format
import Testing

/// What looks at eight bytes at once must find what looking at one after another finds, wherever it
/// stands.
@Suite struct EightBytesTests {
  @Test func everyByteIsFoundWhereverItStands() {
    for count in 0..<80 {
      for place in 0..<count {
        for byte in [0x00, 0x0A, 0x7F, 0x80, 0xFF] as [UInt8] {
          // Its neighbours in value stand behind and before it.
          var text = (0..<count).map { $0.isMultiple(of: 2) ? byte &+ 1 : byte &- 1 }
          text[place] = byte
          let found = [0, place, place + 1].map { text.span.firstIndex(of: byte, from: $0) }
          #expect(found == [place, place, nil])
        }
      }
    }
  }

  @Test func everyByteInAStringIsTakenOrRefusedWhereverItStands() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<20 {
        var text = [UInt8](repeating: UInt8(ascii: "a"), count: 22)
        (text[0], text[21], text[place + 1]) = (UInt8(ascii: "\""), UInt8(ascii: "\""), byte)
        let isPlain =
          (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        #expect(isCanonical(text) == isPlain)
      }
    }
  }

  @Test func everyByteInANameIsTakenOrRefusedWhereverItStands() {
    for byte in UInt8.min...UInt8.max {
      for count in [1, 7, 8, 9, 16, 17, 30] {
        for place in 0..<count {
          var name = [UInt8](repeating: UInt8(ascii: "a"), count: count)
          name[place] = byte
          #expect(
            isCanonical(Array("{\"".utf8) + name + Array("\":1}".utf8))
              == CanonicalJSONReader.isNameByte(byte))
        }
      }
    }
  }

  @Test func namesAscendWhereverTheyDiffer() {
    for count in 1..<40 {
      for place in 0..<count {
        let lesser = String(repeating: "m", count: count)
        let greater = lesser.prefix(place) + "n" + lesser.dropFirst(place + 1)
        for (first, second) in [
          (lesser, String(greater)), (String(greater.prefix(place + 1)), greater + "a"),
          (lesser, lesser + "a"),
        ] {
          let ascending = #"{"\#(first)":1,"\#(second)":2}"#
          let descending = #"{"\#(second)":1,"\#(first)":2}"#
          #expect(isCanonical(Array(ascending.utf8)))
          #expect(throws: CanonicalJSONError.order(offset: second.utf8.count + 7)) {
            try CanonicalJSON(parsing: Array(descending.utf8).span, byteLimit: 200)
          }
        }
        #expect(!isCanonical(Array(#"{"\#(lesser)":1,"\#(lesser)":2}"#.utf8)))
      }
    }
  }

  private func isCanonical(_ text: [UInt8]) -> Bool {
    (try? CanonicalJSON(parsing: text.span, byteLimit: 200)) != nil
  }
}
