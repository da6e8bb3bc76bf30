internal import Host

/// A page with a secret on it, built in secret memory.
struct SecretPage: ~Copyable {
  private var buffer: SecretBuffer
  private var count = 0

  /// In bytes; a QR code needs the most.
  private static let capacity = 8192

  init() throws(CeremonyError) {
    do throws(SecretMemoryError) { buffer = try SecretBuffer(count: Self.capacity) } catch { throw .desk(.exhausted) }
  }

  mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
  }

  /// Adds text, padded with spaces to `width` characters.
  mutating func add(_ text: Span<UInt8>, width: Int) {
    for i in text.indices { add(text[i]) }
    for _ in 0..<max(0, width - text.count) { add(UInt8(ascii: " ")) }
  }

  /// Adds hexadecimal digits in groups of four.
  mutating func add(hex bytes: Span<UInt8>) {
    for i in bytes.indices {
      if i > 0, i.isMultiple(of: 2) { add(UInt8(ascii: " ")) }
      for digit in [bytes[i] >> 4, bytes[i] & 15] { add(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10) }
    }
  }

  mutating func add(_ code: borrowing QRSymbol) { code.draw { add($0) } }

  func read<E: Error>(_ body: (Span<UInt8>) throws(E) -> Void) throws(E) { try body(buffer.bytes.extracting(first: count)) }

  private mutating func add(_ byte: UInt8) {
    let end = count
    var bytes = buffer.mutableBytes
    bytes[end] = byte
    count += 1
  }
}
