internal import Encoding
internal import SecretMemory

/// Text with secrets in it, put together in secret memory and written from there.
struct SecretText: ~Copyable {
  private var buffer: SecretBuffer
  private var count = 0

  /// The most bytes that `addPrintable` and `addJSON` make of one.
  static let expansion = 6

  init(capacity: Int) throws(CommandFailure) {
    do throws(SecretMemoryError) { buffer = try SecretBuffer(count: capacity) } catch { throw .secretMemory }
  }

  mutating func add(_ text: String) { for byte in text.utf8 { add(byte) } }

  /// UTF-8 text from elsewhere, which must not steer the terminal.
  mutating func addPrintable(_ text: Span<UInt8>) {
    for i in text.indices {
      switch text[i] {
      case 0x09, 0x0A, 0x0D: add(UInt8(ascii: " "))
      case 0..<0x20, 0x7F: add(UInt8(ascii: "?"))
      // U+0080 to U+009F, which are controls too.
      case 0x80..<0xA0 where i > 0 && text[i - 1] == 0xC2: add(0xBF)
      default: add(text[i])
      }
    }
  }

  /// UTF-8 text as a JSON string, quotes included.
  mutating func addJSON(_ text: Span<UInt8>) {
    add(UInt8(ascii: "\""))
    for i in text.indices {
      switch text[i] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        add(UInt8(ascii: "\\"))
        add(text[i])
      case 0..<0x20:
        add("\\u00")
        addHex(text[i])
      default: add(text[i])
      }
    }
    add(UInt8(ascii: "\""))
  }

  /// Two hexadecimal digits.
  mutating func addHex(_ byte: UInt8) {
    add(Hex.digit(byte >> 4))
    add(Hex.digit(byte & 15))
  }

  func write() { read { Output.write($0) } }

  func read<R>(_ body: (Span<UInt8>) -> R) -> R { body(buffer.bytes.extracting(first: count)) }

  private mutating func add(_ byte: UInt8) {
    let end = count
    var bytes = buffer.mutableBytes
    bytes[end] = byte
    count += 1
  }

}
