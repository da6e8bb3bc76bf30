import Format
package import Host

/// FF1 (SP 800-38G §5.2), format-preserving encryption of decimal digits: a keyed permutation of
/// all texts of one length.
///
/// Digits and round values stay in secret memory, and all computations on them take constant time.
package enum FF1 {
  /// The number of digits: SP 800-38G r1 demands a domain of at least a million texts; the upper
  /// limit is our own.
  package static let lengths = 6...512
  /// In bytes; the upper limit is our own.
  static let tweakSizes = 0...1024

  /// - Parameters:
  ///   - key: 16, 24 or 32 bytes.
  ///   - tweak: further input on which the result depends.
  ///   - digits: ASCII.
  /// - Returns: as many ASCII digits.
  /// - Throws: `invalidInput` for other sizes or anything but digits.
  package static func encrypt(key: Span<UInt8>, tweak: Span<UInt8>, digits: Span<UInt8>)
    throws(CryptoError) -> SecretBuffer
  {
    try cipher(key, tweak, digits, rounds: Array(0..<rounds), subtracting: false)
  }

  /// The inverse of `encrypt`, with the same sizes.
  package static func decrypt(key: Span<UInt8>, tweak: Span<UInt8>, digits: Span<UInt8>)
    throws(CryptoError) -> SecretBuffer
  {
    try cipher(key, tweak, digits, rounds: (0..<rounds).reversed(), subtracting: true)
  }
}

extension FF1 {
  private static let rounds: UInt8 = 10
  private static let blockSize = 16

  /// Algorithms 7 and 8.
  ///
  /// The halves are not swapped after every round as in the standard: instead an even round changes
  /// the left half by a function of the right one, and an odd round the right half by a function of
  /// the left one.
  private static func cipher(
    _ key: Span<UInt8>, _ tweak: Span<UInt8>, _ text: Span<UInt8>, rounds: [UInt8],
    subtracting: Bool
  ) throws(CryptoError) -> SecretBuffer {
    guard [16, 24, 32].contains(key.count), lengths.contains(text.count),
      tweakSizes.contains(tweak.count)
    else { throw .invalidInput }
    let left = 0..<text.count / 2
    let right = text.count / 2..<text.count
    // b: ⌈v·log2(10)⌉ bits, exact up to the longest text.
    let numberSize = ((right.count * 3_321_928_095 + 999_999_999) / 1_000_000_000 + 7) / 8
    var digits = try values(of: text)
    var message = try message(digits: text.count, tweak, numberSize)
    for round in rounds {
      let (changed, source) = round.isMultiple(of: 2) ? (left, right) : (right, left)
      put(round, digits.bytes.extracting(source), numberSize, into: &message)
      let image = try image(of: message, key, size: 4 * ((numberSize + 3) / 4) + 4)
      let addend = try lastDigits(changed.count, of: image)
      change(&digits, changed, by: addend, subtracting: subtracting)
    }
    return try ascii(digits)
  }

  /// P ‖ Q, except for the end of Q, which each round fills in.
  private static func message(digits: Int, _ tweak: Span<UInt8>, _ numberSize: Int)
    throws(CryptoError) -> SecretBuffer
  {
    let size = blockSize + tweak.count + 1 + numberSize
    var message = try SecretBuffer.make((size + blockSize - 1) / blockSize * blockSize)
    let parameters =
      [1, 2, 1, 0, 0, 10, rounds, UInt8(truncatingIfNeeded: digits / 2)]
      + UInt32(digits).bigEndianBytes + UInt32(tweak.count).bigEndianBytes
    var bytes = message.mutableBytes
    bytes.copy(parameters.span)
    bytes.copy(tweak, at: blockSize)
    return message
  }

  private static func put(
    _ round: UInt8, _ half: Span<UInt8>, _ numberSize: Int, into message: inout SecretBuffer
  ) {
    var bytes = message.mutableBytes
    let start = bytes.count - numberSize
    bytes[start - 1] = round
    var number = bytes._mutatingExtracting(start..<bytes.count)
    Decimal.convert(half, to: &number)
  }

  /// S: the CBC-MAC R of P ‖ Q, followed by the encryptions of R ⊕ 1, R ⊕ 2, … until there are d
  /// bytes.
  private static func image(of message: borrowing SecretBuffer, _ key: Span<UInt8>, size: Int)
    throws(CryptoError) -> SecretBuffer
  {
    let chain = try encrypt(message.bytes, key)
    let mac = chain.bytes.extracting(last: blockSize)
    var image = try SecretBuffer.make(size)
    fill(&image, at: 0, from: mac)
    for start in stride(from: blockSize, to: size, by: blockSize) {
      let block = try encrypted(mac, start / blockSize, key)
      fill(&image, at: start, from: block.bytes)
    }
    return image
  }

  /// Encrypts R ⊕ j; j is at most 7, for the longest text.
  private static func encrypted(_ mac: Span<UInt8>, _ j: Int, _ key: Span<UInt8>)
    throws(CryptoError) -> SecretBuffer
  {
    var block = try SecretBuffer.make(copying: mac)
    var bytes = block.mutableBytes
    bytes[blockSize - 1] ^= UInt8(j)
    return try encrypt(block.bytes, key)
  }

  private static func fill(_ image: inout SecretBuffer, at start: Int, from block: Span<UInt8>) {
    var bytes = image.mutableBytes
    bytes.copy(block.extracting(first: min(block.count, bytes.count - start)), at: start)
  }

  /// CBC with a zero IV; for a single block that is the block cipher itself.
  private static func encrypt(_ blocks: Span<UInt8>, _ key: Span<UInt8>) throws(CryptoError)
    -> SecretBuffer
  {
    let zeros: InlineArray<16, UInt8> = InlineArray(repeating: 0)
    var encrypted = try SecretBuffer.make(blocks.count)
    var out = encrypted.mutableBytes
    try BlockCipher.aes.encrypt(key: key, iv: zeros.span, plaintext: blocks, into: &out)
    return encrypted
  }

  private static func lastDigits(_ count: Int, of image: borrowing SecretBuffer) throws(CryptoError)
    -> SecretBuffer
  {
    var digits = try SecretBuffer.make(count)
    var out = digits.mutableBytes
    Decimal.reduce(image.bytes, to: &out)
    return digits
  }

  private static func change(
    _ digits: inout SecretBuffer, _ half: Range<Int>, by addend: borrowing SecretBuffer,
    subtracting: Bool
  ) {
    var all = digits.mutableBytes
    var changed = all._mutatingExtracting(half)
    Decimal.add(addend.bytes, to: &changed, subtracting: subtracting)
  }

  private static func values(of text: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    guard ConstantTime.areDigits(text) else { throw .invalidInput }
    var values = try SecretBuffer.make(text.count)
    var out = values.mutableBytes
    for i in text.indices { out[i] = text[i] & 0x0F }
    return values
  }

  private static func ascii(_ digits: borrowing SecretBuffer) throws(CryptoError) -> SecretBuffer {
    var text = try SecretBuffer.make(digits.count)
    var out = text.mutableBytes
    for i in out.indices { out[i] = digits.bytes[i] | 0x30 }
    return text
  }
}

/// Arithmetic on numbers of any length in decimal digits (bytes of 0 to 9, most significant first),
/// without branches or divisions whose time depends on the digits. Nothing overflows; a check for
/// it would be a branch.
private enum Decimal {
  /// Writes the number's big-endian bytes so that they fill `out`, which must be large enough.
  static func convert(_ digits: Span<UInt8>, to out: inout MutableSpan<UInt8>) {
    for i in out.indices { out[i] = 0 }
    for i in digits.indices {
      var carry = UInt32(digits[i])
      for k in out.indices.reversed() {
        carry &+= UInt32(out[k]) &* 10
        out[k] = UInt8(truncatingIfNeeded: carry)
        carry >>= 8
      }
    }
  }

  /// Writes the last digits of a big-endian number so that they fill `digits`.
  static func reduce(_ number: Span<UInt8>, to digits: inout MutableSpan<UInt8>) {
    for i in digits.indices { digits[i] = 0 }
    for i in number.indices {
      var carry = UInt32(number[i])
      for k in digits.indices.reversed() {
        let value = UInt32(digits[k]) &* 256 &+ carry
        // ⌊value / 10⌋, for any value below 16,389.
        carry = (value &* 6554) >> 16
        digits[k] = UInt8(truncatingIfNeeded: value &- carry &* 10)
      }
    }
  }

  /// Adds to `digits`, or subtracts by adding the ten's complement; drops the overflow.
  static func add(_ addend: Span<UInt8>, to digits: inout MutableSpan<UInt8>, subtracting: Bool) {
    var carry: UInt8 = subtracting ? 1 : 0
    for k in digits.indices.reversed() {
      let sum = digits[k] &+ (subtracting ? 9 &- addend[k] : addend[k]) &+ carry
      carry = (sum &+ 6) >> 4
      digits[k] = sum &- 10 &* carry
    }
  }
}
