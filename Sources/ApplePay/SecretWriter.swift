import CConstantTime
import Crypto
import Format
import Host

/// Writes text that contains secrets into the arena, up to a size given at the start.
struct SecretWriter: ~Copyable {
  private var buffer: SecretBuffer
  private(set) var count = 0

  init(capacity: Int) throws(CryptoError) {
    buffer = try SecretBuffer.make(capacity)
  }

  var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { buffer.bytes.extracting(first: count) }
  }

  /// What was written, in a buffer of that size.
  borrowing func contents() throws(CryptoError) -> SecretBuffer {
    try SecretBuffer.make(copying: bytes)
  }

  mutating func add(_ byte: UInt8) {
    let place = count
    var bytes = buffer.mutableBytes
    bytes[place] = byte
    count += 1
  }

  mutating func add(_ text: StaticString) { for byte in text.description.utf8 { add(byte) } }

  /// For text that is not secret.
  mutating func add(open text: String) { for byte in text.utf8 { add(byte) } }

  mutating func add(_ text: Span<UInt8>) { for i in text.indices { add(text[i]) } }

  /// Two digits for each byte, lower or upper case.
  mutating func addHex(_ bytes: Span<UInt8>, upperCase: Bool = false) {
    for i in bytes.indices {
      add(Hex.digit(bytes[i] >> 4, upperCase: upperCase))
      add(Hex.digit(bytes[i] & 15, upperCase: upperCase))
    }
  }

  /// RFC 4648 §4 with padding, computed by arithmetic, so that no table is indexed by a secret.
  mutating func addBase64(_ bytes: Span<UInt8>) {
    for i in stride(from: 0, to: bytes.count, by: 3) {
      let left = min(3, bytes.count - i)
      var group: UInt32 = 0
      for k in 0..<3 { group = group << 8 | (k < left ? UInt32(bytes[i + k]) : 0) }
      for k in 0..<4 {
        add(k <= left ? Self.base64(Int16(group >> (18 - 6 * UInt32(k)) & 63)) : UInt8(ascii: "="))
      }
    }
  }

  /// UTF-8 text inside a JSON string; escapes exactly what RFC 8259 §7 requires.
  mutating func addJSON(_ text: Span<UInt8>) {
    for i in text.indices {
      // What is escaped shows in the text's length.
      guard kist_declassified(JSONText.isEscaped(text[i])) else {
        add(text[i])
        continue
      }
      if kist_declassified(text[i] < 0x20) {
        add("\\u00")
        add(Hex.digit(text[i] >> 4))
        add(Hex.digit(text[i] & 15))
      } else {
        add(UInt8(ascii: "\\"))
        add(text[i])
      }
    }
  }

  /// The most bytes that `addJSON` writes for one byte.
  static let escapeExpansion = 6

  private static func base64(_ digit: Int16) -> UInt8 {
    func above(_ limit: Int16) -> Int16 { (limit &- digit) >> 15 }
    return UInt8(
      truncatingIfNeeded: 65 &+ digit &+ (above(25) & 6) &- (above(51) & 75) &- (above(61) & 15)
        &+ (above(62) & 3))
  }
}
