internal import Format

enum NoteName {
  static func isValid(_ name: some StringProtocol) -> Bool {
    (1...255).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "{")
      && !name.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F || $0 == "+" }
  }

  /// A valid name from UTF-8, or nil.
  static func read(_ bytes: Span<UInt8>) -> String? {
    guard (1...255).contains(bytes.count) else { return nil }
    var isPlain = bytes[0] != UInt8(ascii: "{")
    for i in bytes.indices where !(0x21...0x7E).contains(bytes[i]) || bytes[i] == UInt8(ascii: "+") { isPlain = false }
    guard let name = String(validating: bytes.array, as: UTF8.self) else { return nil }
    // Nearly all names are plain ASCII, and Unicode's tables are slow.
    return isPlain || isValid(name) ? name : nil
  }
}
