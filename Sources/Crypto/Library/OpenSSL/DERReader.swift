/// Parses DER (X.690) from a span without copying: definite minimal lengths, single-byte tags.
///
/// For the few fixed structures of key files; certificates are parsed by OpenSSL.
package struct DERReader: ~Escapable {
  private let bytes: Span<UInt8>
  private var position = 0

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// For the contents of a SEQUENCE that is all of these bytes.
  @_lifetime(copy bytes)
  package init(sequence bytes: Span<UInt8>) throws(CryptoError) {
    var whole = DERReader(bytes)
    self = try whole.enter()
    try whole.finish()
  }

  package var isAtEnd: Bool { position == bytes.count }

  /// The tag of the next element, or nil at the end.
  package var nextTag: DERTag? { isAtEnd ? nil : DERTag(rawValue: bytes[position]) }

  /// The contents of the next element, which must have `tag`.
  @_lifetime(copy self)
  package mutating func read(_ tag: DERTag) throws(CryptoError) -> Span<UInt8> {
    guard nextTag == tag else { throw .invalidInput }
    position += 1
    let length = try readLength()
    guard length <= bytes.count - position else { throw .invalidInput }
    defer { position += length }
    return bytes.extracting(position..<position + length)
  }

  /// A reader for the contents of the next element.
  @_lifetime(copy self)
  package mutating func enter(_ tag: DERTag = .sequence) throws(CryptoError) -> DERReader {
    DERReader(try read(tag))
  }

  /// The magnitude of a minimal, non-negative INTEGER, without a leading sign byte.
  @_lifetime(copy self)
  package mutating func readUnsigned() throws(CryptoError) -> Span<UInt8> {
    let contents = try read(.integer)
    guard contents.count > 0, contents[0] < 0x80 else { throw .invalidInput }
    guard contents[0] == 0, contents.count > 1 else { return contents }
    guard contents[1] >= 0x80 else { throw .invalidInput }
    return contents.extracting(1..<contents.count)
  }

  /// An INTEGER in 0...2^31-1.
  package mutating func readSmall() throws(CryptoError) -> Int {
    let magnitude = try readUnsigned()
    guard magnitude.count <= 4 else { throw .invalidInput }
    var value = 0
    for i in magnitude.indices { value = value << 8 | Int(magnitude[i]) }
    guard value <= Int(Int32.max) else { throw .invalidInput }
    return value
  }

  /// - Throws: `invalidInput` if bytes are left over.
  package func finish() throws(CryptoError) {
    guard isAtEnd else { throw .invalidInput }
  }

  private mutating func readLength() throws(CryptoError) -> Int {
    let first = try readByte()
    guard first >= 0x80 else { return Int(first) }
    let size = Int(first & 0x7F)
    guard (1...3).contains(size) else { throw .invalidInput }
    var length = 0
    for _ in 0..<size { length = length << 8 | Int(try readByte()) }
    let isMinimal = length >= 0x80 && length >= 1 << (8 * (size - 1))
    guard isMinimal else { throw .invalidInput }
    return length
  }

  private mutating func readByte() throws(CryptoError) -> UInt8 {
    guard !isAtEnd else { throw .invalidInput }
    defer { position += 1 }
    return bytes[position]
  }
}

/// An identifier octet.
package struct DERTag: RawRepresentable, Equatable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let integer = DERTag(rawValue: 0x02)
  static let bitString = DERTag(rawValue: 0x03)
  package static let octetString = DERTag(rawValue: 0x04)
  package static let null = DERTag(rawValue: 0x05)
  package static let oid = DERTag(rawValue: 0x06)
  package static let sequence = DERTag(rawValue: 0x30)

  /// A constructed, context-specific tag.
  package static func context(_ number: UInt8) -> DERTag { DERTag(rawValue: 0xA0 | number) }
  /// A primitive, context-specific tag.
  package static func primitive(_ number: UInt8) -> DERTag { DERTag(rawValue: 0x80 | number) }
}
