internal import Crypto

/// Writes DER (X.690) of public values.
enum DER {
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31
  static let null: [UInt8] = [0x05, 0x00]

  /// A constructed, context-specific tag.
  static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }

  /// An element of fewer than 64 KiB, its contents in parts.
  static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let contents = parts.flatMap(\.self)
    precondition(contents.count < 1 << 16)
    let length: [UInt8] =
      switch contents.count {
      case 0..<0x80: [UInt8(contents.count)]
      case 0x80..<0x100: [0x81, UInt8(contents.count)]
      default: [0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
      }
    return [tag] + length + contents
  }

  static func small(_ number: UInt8) -> [UInt8] { element(0x02, [number & 0x7F]) }
  static func oid(_ oid: OID) -> [UInt8] { element(0x06, oid.contents) }
  static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }
}
