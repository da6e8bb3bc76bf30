internal import Crypto
internal import Host

/// The Reed-Solomon code of ISO/IEC 18004 §7.5.
enum ErrorCorrection {
  /// All 346 codewords of the symbol in order (§7.6): the first of each block, the second of each and so on, then the corrections likewise.
  static func codewords(_ data: borrowing SecretBuffer) throws(QRCodeError) -> SecretBuffer {
    var all = try SecretBuffer.symbolBytes(Version10.codewordCount)
    var corrections = try SecretBuffer.symbolBytes(Version10.correctionCount)
    var bytes = all.mutableBytes
    let blocks = Version10.blocks.count
    var start = 0
    for (block, size) in Version10.blocks.enumerated() {
      // Only the last block has a 44th codeword.
      for i in 0..<size { bytes[min(i, 43) * blocks + (i < 43 ? block : 0)] = data.bytes[start + i] }
      correct(data.bytes.extracting(start..<start + size), into: &corrections)
      for i in 0..<corrections.count { bytes[Version10.dataCount + i * blocks + block] = corrections.bytes[i] }
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
      for j in 0..<last { remainder[j] = remainder[j + 1] ^ GF256.qrCode.multiply(generator[j], factor) }
      remainder[last] = GF256.qrCode.multiply(generator[last], factor)
    }
  }

  /// Π (x − αⁱ) for i from 0 to 25: its coefficients from x²⁵ down; that of x²⁶ is 1.
  private static let generator: [UInt8] = {
    var product = [UInt8](repeating: 0, count: Version10.correctionCount - 1) + [1]
    var root: UInt8 = 1
    for _ in product {
      for j in product.indices {
        product[j] = GF256.qrCode.multiply(product[j], root) ^ (j + 1 < product.count ? product[j + 1] : 0)
      }
      root = GF256.qrCode.multiply(root, 2)
    }
    return product
  }()
}
