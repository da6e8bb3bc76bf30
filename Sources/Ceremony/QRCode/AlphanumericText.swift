internal import Host

/// Words in alphanumeric mode (ISO/IEC 18004 §7.4.4), as data codewords.
enum AlphanumericText {
  /// 216 codewords: the text, and the padding of §7.4.10.
  ///
  /// - Parameter text: letters of either case and spaces; its length need not be secret.
  static func dataCodewords(_ text: Span<UInt8>) throws(QRCodeError) -> SecretBuffer {
    guard text.count <= Version10.capacity else { throw .tooLong }
    let values = try values(text)
    var bits = BitWriter(try .symbolBytes(Version10.dataCount))
    bits.append(mode, 4)
    bits.append(UInt16(text.count), Version10.countWidth)
    for i in stride(from: 0, to: text.count - 1, by: 2) { bits.append(UInt16(values.bytes[i]) * 45 + UInt16(values.bytes[i + 1]), 11) }
    if !text.count.isMultiple(of: 2) { bits.append(UInt16(values.bytes[text.count - 1]), 6) }
    return bits.padded()
  }

  private static let mode: UInt16 = 0b0010

  /// Table 5, computed without a look-up: 10 to 35 for letters, 36 for a space.
  private static func values(_ text: Span<UInt8>) throws(QRCodeError) -> SecretBuffer {
    var values = try SecretBuffer.symbolBytes(text.count)
    var bytes = values.mutableBytes
    var others: UInt8 = 0
    for i in text.indices {
      let blank = all(ifBelow: 1, text[i] ^ UInt8(ascii: " "))
      let place = (text[i] | 0x20) &- UInt8(ascii: "a")
      let letter = all(ifBelow: 26, place)
      bytes[i] = (place &+ 10) & letter | 36 & blank
      others |= ~(letter | blank)
    }
    guard others == 0 else { throw .letter }
    return values
  }

  /// All bits set if `x` is less than the bound, else none, without a branch.
  private static func all(ifBelow bound: UInt16, _ x: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: (UInt16(x) &- bound) >> 8) }
}

/// Writes bits into bytes, the highest first.
private struct BitWriter: ~Copyable {
  private var buffer: SecretBuffer
  private var count = 0

  init(_ buffer: consuming SecretBuffer) { self.buffer = buffer }

  mutating func append(_ value: UInt16, _ width: Int) {
    let (start, end) = (count, count + width)
    var bytes = buffer.mutableBytes
    for i in start..<end { bytes[i >> 3] |= UInt8(value >> UInt16(end - 1 - i) & 1) << UInt8(7 - i & 7) }
    count = end
  }

  /// Adds the terminator, which like the unused bits is zeros, and then 11101100 and 00010001 alternately.
  consuming func padded() -> SecretBuffer {
    let start = min(count + 4 + 7, 8 * buffer.count) >> 3
    var bytes = buffer.mutableBytes
    for i in start..<bytes.count { bytes[i] = (i - start).isMultiple(of: 2) ? 0xEC : 0x11 }
    return buffer
  }
}
