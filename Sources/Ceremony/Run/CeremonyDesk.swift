package import Host

/// Where a ceremony meets the people in the room: one screen and one keyboard.
package protocol CeremonyDesk: AnyObject {
  /// The size of the screen, in characters.
  var size: ScreenSize { get }
  /// Shows text to everybody.
  func show(_ text: String) throws(DeskError)
  /// Asks for one line, which everybody may see.
  func ask(_ prompt: String) throws(DeskError) -> String
  /// Asks for one line without echo, which is read directly into secret memory.
  func askSecret(_ prompt: String) throws(DeskError) -> SecretBuffer
  /// Shows one page to one person until Return is pressed, and leaves nothing of it on the screen
  /// or in its scrollback.
  func showAlone(_ page: Span<UInt8>) throws(DeskError)
}

package struct ScreenSize: Hashable, Sendable {
  package let columns, lines: Int

  package init(columns: Int, lines: Int) {
    self.columns = columns
    self.lines = lines
  }
}

package enum DeskError: Error, Hashable {
  /// There is no terminal, or it is gone.
  case gone
  /// Somebody stops the ceremony, such as with Control-C; nothing more can be asked.
  case interrupted
  case tooLong
  /// The arena is full.
  case exhausted
}

/// The longest line that is taken, in bytes.
package enum DeskLimit {
  package static let line = 512
}

/// A page with a secret on it, built in secret memory.
struct SecretPage: ~Copyable {
  private var buffer: SecretBuffer
  private var count = 0

  /// In bytes; a QR code needs the most.
  private static let capacity = 8192

  init() throws(CeremonyError) {
    do throws(SecretMemoryError) { buffer = try SecretBuffer(count: Self.capacity) } catch {
      throw .desk(.exhausted)
    }
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
      for digit in [bytes[i] >> 4, bytes[i] & 15] {
        add(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
      }
    }
  }

  mutating func add(_ code: borrowing QRSymbol) { code.draw { add($0) } }

  func read<E: Error>(_ body: (Span<UInt8>) throws(E) -> Void) throws(E) {
    try body(buffer.bytes.extracting(first: count))
  }

  private mutating func add(_ byte: UInt8) {
    let end = count
    var bytes = buffer.mutableBytes
    bytes[end] = byte
    count += 1
  }
}
