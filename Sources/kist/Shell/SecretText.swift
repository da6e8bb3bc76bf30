import Format
import Host

/// Text that contains secrets, built in secret memory and written from there.
struct SecretText: ~Copyable {
  private var buffer: SecretBuffer
  private var count = 0

  /// The most bytes that `addPrintable` and `addJSON` write for one byte.
  static let expansion = 6

  init(capacity: Int) throws(CommandFailure) {
    buffer = try onMemory(SecretBuffer(count: capacity))
  }

  mutating func add(_ text: String) { for byte in text.utf8 { add(byte) } }

  /// Adds UTF-8 text from elsewhere, whose control characters must not reach the terminal.
  mutating func addPrintable(_ text: Span<UInt8>) {
    forEachScalar(of: text) { text, scalar in
      if Printable.isPrintable(scalar) {
        text.add(scalar)
      } else {
        text.add(Printable.number(scalar))
      }
    }
  }

  /// UTF-8 text as a JSON string, quotes included.
  mutating func addJSON(_ text: Span<UInt8>) {
    add(UInt8(ascii: "\""))
    forEachScalar(of: text) { text, scalar in
      if scalar == "\"" || scalar == "\\" { text.add(UInt8(ascii: "\\")) }
      if Printable.isPrintable(scalar) {
        text.add(scalar)
      } else {
        text.add(Printable.jsonNumber(scalar))
      }
    }
    add(UInt8(ascii: "\""))
  }

  /// Two hexadecimal digits.
  mutating func addHex(_ byte: UInt8) {
    add(Hex.digit(byte >> 4))
    add(Hex.digit(byte & 15))
  }

  /// RFC 4648 §6, without padding, as in otpauth URIs.
  mutating func addBase32(_ bytes: Span<UInt8>) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    for place in stride(from: 0, to: bytes.count * 8, by: 5) {
      let (index, shift) = place.quotientAndRemainder(dividingBy: 8)
      let next = index + 1 < bytes.count ? UInt16(bytes[index + 1]) : 0
      let pair = UInt16(bytes[index]) << 8 | next
      add(alphabet[Int(pair >> UInt16(11 - shift)) & 31])
    }
  }

  func write() { read { Output.write($0) } }

  func read<R>(_ body: (Span<UInt8>) -> R) -> R { body(buffer.bytes.extracting(first: count)) }

  private mutating func add(_ byte: UInt8) {
    let end = count
    var bytes = buffer.mutableBytes
    bytes[end] = byte
    count += 1
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { add(byte) }
  }

  /// If the bytes are not UTF-8, each byte beyond ASCII becomes U+FFFD.
  private mutating func forEachScalar(
    of text: Span<UInt8>, _ body: (inout SecretText, Unicode.Scalar) -> Void
  ) {
    do {
      var scalars = try UTF8Span(validating: text).makeUnicodeScalarIterator()
      while let scalar = scalars.next() { body(&self, scalar) }
    } catch {
      for i in text.indices { body(&self, text[i] < 0x80 ? Unicode.Scalar(text[i]) : "\u{FFFD}") }
    }
  }
}
