internal import SecretMemory

/// A page with a secret on it, put together in secret memory.
struct SecretPage: ~Copyable {
  private var buffer: SecretBuffer
  private var count = 0

  /// Bytes.
  private static let capacity = 4096

  init() throws(CeremonyError) {
    do throws(SecretMemoryError) { buffer = try SecretBuffer(count: Self.capacity) } catch { throw .desk(.exhausted) }
  }

  mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
  }

  /// Text that goes nowhere else; what is beyond `width` characters with it is filled with blanks.
  mutating func add(_ text: Span<UInt8>, width: Int) {
    for i in text.indices { add(text[i]) }
    for _ in 0..<max(0, width - text.count) { add(UInt8(ascii: " ")) }
  }

  func read<E: Error>(_ body: (Span<UInt8>) throws(E) -> Void) throws(E) { try body(buffer.bytes.extracting(first: count)) }

  private mutating func add(_ byte: UInt8) {
    let end = count
    var bytes = buffer.mutableBytes
    bytes[end] = byte
    count += 1
  }
}
