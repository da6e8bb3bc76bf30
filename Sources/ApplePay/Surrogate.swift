import Crypto
package import Format
package import Host

/// A PAN's surrogate in the merchant's format: by default as many digits, the same last four, never
/// a PAN itself [OP-SURR-2].
///
/// The PAN is first written as a text of the format, its start, from which it can be read again;
/// then FF1 with an AES-256 key enciphers what is neither prefix nor kept. The tweak is the kept
/// digits, the format and the merchant's identifier, so that surrogates of different merchants or
/// formats cannot be compared, and a table of six-digit middles serves for only one last four.
/// Where the result must fail Luhn's formula it is encrypted again until it does (cycle walking: J.
/// Black and P. Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002), which permutes the
/// texts that fail, and the start is one of them. The number of steps of a walk reveals nothing
/// useful about its start (M. Bellare et al., "Format-Preserving Encryption", SAC 2009, §4).
package enum Surrogate {
  /// - Parameters:
  ///   - pan: ASCII digits.
  ///   - merchant: the merchant identifier's text.
  ///   - key: 32 bytes.
  /// - Throws: `.notPAN` for anything but ten to nineteen digits with a right check digit, and what
  ///   the format leaves out: with other numbers, too, there would be more inputs than surrogates.
  package static func make(
    of pan: Span<UInt8>, merchant: Span<UInt8>, format: SurrogateFormat = .usual, key: Span<UInt8>
  ) throws(PANError) -> SecretBuffer {
    guard PAN.hasForm(pan), PAN.isLuhnValid(pan), format.panLengths.contains(pan.count) else {
      throw .notPAN
    }
    var text = try format.start(of: pan)
    // A PAN that begins with the prefix which replaces its first digit is its own start, and would
    // never fail.
    guard format.allows(text.bytes) else { throw .notPAN }
    let tweak = try format.tweak(for: text.bytes, merchant)
    repeat {
      text = try step(text, format, tweak, key, FF1.encrypt)
    } while !format.allows(text.bytes)
    return text
  }

  /// The inverse of `make`.
  ///
  /// - Throws: `.notSurrogate` if this is no PAN's surrogate.
  package static func pan(
    of surrogate: Span<UInt8>, merchant: Span<UInt8>, format: SurrogateFormat = .usual,
    key: Span<UInt8>
  ) throws(PANError) -> SecretBuffer {
    guard let lengths = format.panLengths(ofSurrogate: surrogate.count), format.allows(surrogate)
    else { throw .notSurrogate }
    let tweak = try format.tweak(for: surrogate, merchant)
    var text = try onCrypto(SecretBuffer.make(copying: surrogate))
    repeat {
      text = try step(text, format, tweak, key, FF1.decrypt)
    } while !format.allows(text.bytes)
    // Which length fits is the PAN's, and its caller will see it.
    for count in lengths {
      let pan = try format.pan(count, from: text.bytes)
      if try format.isStart(text, of: pan) { return pan }
    }
    throw .notSurrogate
  }
}

extension Surrogate {
  private typealias Cipher = (Span<UInt8>, Span<UInt8>, Span<UInt8>) throws(CryptoError) ->
    SecretBuffer

  /// One encryption or decryption of what the format hides.
  private static func step(
    _ text: borrowing SecretBuffer, _ format: SurrogateFormat, _ tweak: borrowing SecretBuffer,
    _ key: Span<UInt8>, _ cipher: Cipher
  ) throws(PANError) -> SecretBuffer {
    let hidden = format.enciphered(of: text.count)
    var next = try onCrypto(SecretBuffer.make(copying: text.bytes))
    let part = try onCrypto(cipher(key, tweak.bytes, text.bytes.extracting(hidden)))
    next.put(part.bytes, at: hidden.lowerBound)
    format.putCheckDigit(into: &next)
    return next
  }
}

// Texts of a format, as [OP-SURR-12] writes them: prefix ‖ the PAN's kept first digits ‖ check ‖
// 0…01 ‖ the PAN's further digits. The PAN's digit after the kept ones is left out, since Luhn's
// formula gives it back. In place of it there is the prefix, or a check digit with which the whole
// passes; if it must fail, that digit plus one. The zeros and the one fill a longer text up.

extension SurrogateFormat {
  /// The text that stands for the PAN before anything is enciphered.
  ///
  /// - Parameter pan: of a length that the format takes, with a right check digit.
  func start(of pan: Span<UInt8>) throws(PANError) -> SecretBuffer {
    let count = length ?? pan.count
    let rest = pan.extracting(droppingFirst: first + 1)
    var text = try SecretBuffer.digits(count)
    text.put(prefix.span, at: 0)
    text.put(pan.extracting(first: first), at: prefix.count)
    text.put(rest, at: count - rest.count)
    guard !replacesFirstDigit else { return text }
    if count > prefix.count + pan.count { text.put(0x31, at: count - rest.count - 1) }
    let check = Luhn.digit(at: checkPlace, in: text.bytes)
    text.put(luhn == .fail ? Self.next(check) : check, at: checkPlace)
    return text
  }

  func isStart(_ text: borrowing SecretBuffer, of pan: borrowing SecretBuffer) throws(PANError)
    -> Bool
  {
    let start = try start(of: pan.bytes)
    return ConstantTime.equal(start.bytes, text.bytes)
  }

  /// The PAN of so many digits whose start the text is, if it is one's.
  func pan(_ count: Int, from text: Span<UInt8>) throws(PANError) -> SecretBuffer {
    var pan = try SecretBuffer.digits(count)
    pan.put(text.extracting(prefix.count..<checkPlace), at: 0)
    pan.put(text.extracting(last: count - first - 1), at: first + 1)
    pan.put(Luhn.digit(at: first, in: pan.bytes), at: first)
    return pan
  }

  /// Whether the text has digits only, the prefix, and passes Luhn's formula or not as it must.
  func allows(_ text: Span<UInt8>) -> Bool {
    guard ConstantTime.areDigits(text),
      ConstantTime.equal(text.extracting(first: prefix.count), prefix.span)
    else { return false }
    return switch luhn {
    case .pass: Luhn.passes(text)
    case .fail: !Luhn.passes(text)
    case .any: true
    }
  }

  /// The part that FF1 works on, six digits at least.
  func enciphered(of count: Int) -> Range<Int> {
    checkPlace + (luhn == .pass ? 1 : 0)..<count - last
  }

  /// Makes a text pass that must.
  func putCheckDigit(into text: inout SecretBuffer) {
    if luhn == .pass { text.put(Luhn.digit(at: checkPlace, in: text.bytes), at: checkPlace) }
  }

  /// Kept digits ‖ merchant, and before them, unless the format is the usual one, what tells it
  /// from every other [OP-SURR-3] [OP-SURR-13].
  ///
  /// The usual one's begins with a digit, every other's with a letter, and all parts have a known
  /// length but the last: no two are the same.
  func tweak(for text: Span<UInt8>, _ merchant: Span<UInt8>) throws(PANError) -> SecretBuffer {
    let parts = self == .usual ? [] : Array("kist surrogate 1".utf8) + [0] + description
    var tweak = try SecretBuffer.digits(parts.count + first + last + merchant.count)
    tweak.put(parts.span, at: 0)
    tweak.put(text.extracting(prefix.count..<checkPlace), at: parts.count)
    tweak.put(text.extracting(last: last), at: parts.count + first)
    tweak.put(merchant, at: parts.count + first + last)
    return tweak
  }

  private var checkPlace: Int { prefix.count + first }

  private var description: [UInt8] {
    [UInt8(prefix.count)] + prefix + [UInt8(first), UInt8(last), UInt8(length ?? 0), luhn.rawValue]
  }

  /// The next digit; after nine comes zero.
  private static func next(_ digit: UInt8) -> UInt8 {
    let sum = (digit & 0x0F) &+ 1
    return 0x30 &+ sum &- 10 &* ((sum &+ 6) >> 4)
  }
}

extension SecretBuffer {
  /// So many zeros, in ASCII.
  fileprivate static func digits(_ count: Int) throws(PANError) -> SecretBuffer {
    var buffer = try onCrypto(SecretBuffer.make(count))
    for place in 0..<count { buffer.put(0x30, at: place) }
    return buffer
  }

  fileprivate mutating func put(_ digit: UInt8, at place: Int) {
    var bytes = mutableBytes
    bytes[place] = digit
  }

  mutating func put(_ digits: Span<UInt8>, at place: Int) {
    var bytes = mutableBytes
    bytes.copy(digits, at: place)
  }
}
