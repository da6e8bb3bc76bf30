internal import Format

/// Reads the strings and numbers of SSH's data types (RFC 4251 §5), which are not secret here.
struct SSHWire {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func take(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  mutating func number() -> UInt32? { take(4).map { UInt32(bigEndian: $0.span, at: 0) } }

  mutating func string() -> [UInt8]? { number().flatMap { take(Int($0)) } }

  /// A four-byte length, and the bytes.
  static func string(_ bytes: [UInt8]) -> [UInt8] { UInt32(bytes.count).bigEndianBytes + bytes }
}
