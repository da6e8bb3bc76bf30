import Format

/// A note's signature line: the claimed signer's name and key id, and the signature (C2SP
/// signed-note).
package struct NoteStamp: Equatable, Sendable {
  package let name: String
  package let keyID: UInt32
  /// Its form depends on the key's algorithm: 64 bytes for a log's Ed25519.
  package let signature: [UInt8]
}

extension NoteStamp {
  /// Parses `— NAME BASE64(key id ‖ signature)` without its newline.
  ///
  /// - Throws: `NoteError.format`.
  package init(parsing line: Span<UInt8>) throws(NoteError) {
    guard line.count > Self.dash.count else { throw .format }
    for i in Self.dash.indices where line[i] != Self.dash[i] { throw .format }
    let rest = line.extracting(droppingFirst: Self.dash.count)
    guard let space = rest.indices.first(where: { rest[$0] == UInt8(ascii: " ") }),
      let name = NoteName.read(rest.extracting(0..<space)),
      let stamp = Base64.decode(rest.extracting(droppingFirst: space + 1)), stamp.count > 4
    else { throw .format }
    self.init(
      name: name, keyID: UInt32(bigEndian: stamp.span, at: 0), signature: Array(stamp.dropFirst(4)))
  }

  /// The line with its newline.
  package var line: [UInt8] {
    Array("\u{2014} \(name) \(Base64.encode(keyID.bigEndianBytes + signature))\n".utf8)
  }

  /// An em dash and a space.
  private static let dash: [UInt8] = [0xE2, 0x80, 0x94, 0x20]
}

/// Splits a text into lines.
package struct NoteLines: ~Escapable {
  private let text: Span<UInt8>
  package private(set) var offset = 0

  @_lifetime(copy text)
  package init(_ text: Span<UInt8>) { self.text = text }

  package var isAtEnd: Bool { offset == text.count }

  /// The range of the next line without its newline; nil if no newline follows.
  @_lifetime(self: copy self)
  package mutating func next() -> Range<Int>? {
    for end in offset..<text.count where text[end] == 0x0A {
      defer { offset = end + 1 }
      return offset..<end
    }
    return nil
  }

  @_lifetime(copy self)
  package func bytes(_ line: Range<Int>) -> Span<UInt8> { text.extracting(line) }
}
