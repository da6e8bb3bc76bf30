/// Writes canonical JSON piece by piece; the caller must name members in ascending byte order.
///
/// Input that has no canonical form is the caller's fault and traps: an integer beyond 53 bits
/// always, a name that is out of order or not plain ASCII only in debug builds.
package struct CanonicalJSONWriter: Sendable {
  package private(set) var bytes: [UInt8] = []
  /// The range in `bytes` of the last name in the innermost object; empty before the first.
  private var lastName = 0..<0
  private var needsComma = false

  package init(capacity: Int = 512) { bytes.reserveCapacity(capacity) }

  package mutating func object(_ members: (inout CanonicalJSONWriter) -> Void) {
    let outer = lastName
    lastName = 0..<0
    enclosed(UInt8(ascii: "{"), UInt8(ascii: "}"), members)
    lastName = outer
  }

  /// The caller must call `element()` before each element.
  package mutating func array(_ elements: (inout CanonicalJSONWriter) -> Void) {
    enclosed(UInt8(ascii: "["), UInt8(ascii: "]"), elements)
  }

  package mutating func name(_ name: String) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    let start = bytes.count
    bytes.append(contentsOf: name.utf8)
    let written = start..<bytes.count
    // Names are literals in the program, so what passes in a debug build cannot fail in a release
    // build.
    assert(!written.isEmpty && bytes[written].allSatisfy(CanonicalJSONReader.isNameByte))
    assert(lastName.isEmpty || bytes[lastName].lexicographicallyPrecedes(bytes[written]))
    lastName = written
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// The text of members of one object, without its braces.
  package static func members(_ write: (inout CanonicalJSONWriter) -> Void) -> [UInt8] {
    var writer = CanonicalJSONWriter()
    write(&writer)
    return writer.bytes
  }

  /// Writes such text; in the object the members must stand in the order of their names.
  package mutating func members(_ text: [UInt8]) {
    guard !text.isEmpty else { return }
    element()
    bytes += text
    lastName = 0..<0
    needsComma = true
  }

  package mutating func element() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }

  package mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    if !bytes[start...].allSatisfy(Self.isPlain) {
      bytes.removeLast(bytes.count - start)
      for byte in text.utf8 { escape(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// A string of lower-case hexadecimal digits.
  package mutating func hex(_ value: Span<UInt8>) {
    let start = blank(2 * value.count)
    var text = bytes.mutableSpan
    Hex.write(value, into: &text, at: start)
  }

  /// Sixteen lower-case hexadecimal digits for each word.
  package mutating func hex(_ words: UInt64...) {
    let start = blank(16 * words.count)
    var text = bytes.mutableSpan
    for (i, word) in words.enumerated() { Hex.write(word, into: &text, at: start + 16 * i) }
  }

  /// Writes a string of that many characters, to be overwritten.
  ///
  /// - Returns: where they begin.
  private mutating func blank(_ count: Int) -> Int {
    bytes.append(UInt8(ascii: "\""))
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: count))
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
    return start
  }

  package mutating func integer(_ value: Int64) {
    precondition(value.magnitude <= CanonicalJSON.integerLimit.magnitude)
    bytes.append(contentsOf: String(value).utf8)
    needsComma = true
  }

  package mutating func bool(_ value: Bool) {
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
    needsComma = true
  }

  /// Nothing if there is no value.
  package mutating func member(_ name: String, _ text: String?) {
    guard let text else { return }
    self.name(name)
    string(text)
  }

  /// Nothing if there is no value.
  package mutating func member(_ name: String, _ number: Int64?) {
    guard let number else { return }
    self.name(name)
    integer(number)
  }

  package mutating func member(_ name: String, hex value: Span<UInt8>) {
    self.name(name)
    hex(value)
  }

  package mutating func member(_ name: String, _ value: CanonicalJSON) {
    self.name(name)
    value.write(into: &self)
  }

  /// Writes an element, or several with commas between them, whose canonical text is at hand.
  package mutating func written(_ text: ArraySlice<UInt8>) {
    element()
    bytes += text
    needsComma = true
  }

  private mutating func enclosed(
    _ open: UInt8, _ close: UInt8, _ body: (inout CanonicalJSONWriter) -> Void
  ) {
    bytes.append(open)
    needsComma = false
    body(&self)
    bytes.append(close)
    needsComma = true
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// RFC 8785 §3.2.2.2: the short escapes, lower-case hex for other control characters, everything
  /// else unchanged.
  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x22, 0x5C: bytes.append(contentsOf: [0x5C, byte])
    case 0x08: bytes.append(contentsOf: "\\b".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0C: bytes.append(contentsOf: "\\f".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    case 0..<0x20: bytes.append(contentsOf: ("\\u00" + Hex.encode([byte])).utf8)
    default: bytes.append(byte)
    }
  }
}
