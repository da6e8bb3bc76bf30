import Crypto
import Host

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
    for i in stride(from: 0, to: text.count - 1, by: 2) {
      bits.append(UInt16(values.bytes[i]) * 45 + UInt16(values.bytes[i + 1]), 11)
    }
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
  private static func all(ifBelow bound: UInt16, _ x: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt16(x) &- bound) >> 8)
  }
}

/// Writes bits into bytes, the highest first.
private struct BitWriter: ~Copyable {
  private var buffer: SecretBuffer
  private var count = 0

  init(_ buffer: consuming SecretBuffer) { self.buffer = buffer }

  mutating func append(_ value: UInt16, _ width: Int) {
    let start = count
    let end = count + width
    var bytes = buffer.mutableBytes
    for i in start..<end {
      bytes[i >> 3] |= UInt8(value >> UInt16(end - 1 - i) & 1) << UInt8(7 - i & 7)
    }
    count = end
  }

  /// Adds the terminator, which like the unused bits is zeros, and then 11101100 and 00010001
  /// alternately.
  consuming func padded() -> SecretBuffer {
    let start = min(count + 4 + 7, 8 * buffer.count) >> 3
    var bytes = buffer.mutableBytes
    for i in start..<bytes.count { bytes[i] = (i - start).isMultiple(of: 2) ? 0xEC : 0x11 }
    return buffer
  }
}

/// The Reed-Solomon code of ISO/IEC 18004 §7.5.
enum ErrorCorrection {
  /// All 346 codewords of the symbol in order (§7.6): the first of each block, the second of each
  /// and so on, then the corrections likewise.
  static func codewords(_ data: borrowing SecretBuffer) throws(QRCodeError) -> SecretBuffer {
    var all = try SecretBuffer.symbolBytes(Version10.codewordCount)
    var corrections = try SecretBuffer.symbolBytes(Version10.correctionCount)
    var bytes = all.mutableBytes
    let blocks = Version10.blocks.count
    var start = 0
    for (block, size) in Version10.blocks.enumerated() {
      // Only the last block has a 44th codeword.
      for i in 0..<size {
        bytes[min(i, 43) * blocks + (i < 43 ? block : 0)] = data.bytes[start + i]
      }
      correct(data.bytes.extracting(start..<start + size), into: &corrections)
      for i in 0..<corrections.count {
        bytes[Version10.dataCount + i * blocks + block] = corrections.bytes[i]
      }
      start += size
    }
    return all
  }

  /// The remainder of the block times x²⁶, divided by the generator.
  private static func correct(_ block: Span<UInt8>, into corrections: inout SecretBuffer) {
    corrections.wipe()
    var remainder = corrections.mutableBytes
    let last = remainder.count - 1
    for i in block.indices {
      let factor = block[i] ^ remainder[0]
      for j in 0..<last {
        remainder[j] = remainder[j + 1] ^ GF256.qrCode.multiply(generator[j], factor)
      }
      remainder[last] = GF256.qrCode.multiply(generator[last], factor)
    }
  }

  /// Π (x − αⁱ) for i from 0 to 25: its coefficients from x²⁵ down; that of x²⁶ is 1.
  private static let generator: [UInt8] = {
    var product = [UInt8](repeating: 0, count: Version10.correctionCount - 1) + [1]
    var root: UInt8 = 1
    for _ in product {
      for j in product.indices {
        product[j] =
          GF256.qrCode.multiply(product[j], root) ^ (j + 1 < product.count ? product[j + 1] : 0)
      }
      root = GF256.qrCode.multiply(root, 2)
    }
    return product
  }()
}
