internal import Crypto
package import Format
package import Host

/// A PAN's surrogate in the merchant's format: by default as many digits, the same last four, never a PAN itself [OP-SURR-2].
///
/// The PAN is first written as a text of the format, its start, from which it can be read again; then FF1 with an AES-256 key enciphers
/// what is neither prefix nor kept. The tweak is the kept digits, the format and the merchant's identifier, so that surrogates of different
/// merchants or formats cannot be compared, and a table of six-digit middles serves for only one last four. Where the result must fail
/// Luhn's formula it is encrypted again until it does (cycle walking: J. Black and P. Rogaway, "Ciphers with Arbitrary Finite
/// Domains", CT-RSA 2002), which permutes the texts that fail, and the start is one of them. The number of steps of a walk reveals nothing useful
/// about its start (M. Bellare et al., "Format-Preserving Encryption", SAC 2009, §4).
package enum Surrogate {
  /// - Parameters:
  ///   - pan: ASCII digits.
  ///   - merchant: the merchant identifier's text.
  ///   - key: 32 bytes.
  /// - Throws: `.notPAN` for anything but ten to nineteen digits with a right check digit, and what the format leaves out: with other
  ///   numbers, too, there would be more inputs than surrogates.
  package static func make(
    of pan: Span<UInt8>, merchant: Span<UInt8>, format: SurrogateFormat = .usual, key: Span<UInt8>
  ) throws(PANError) -> SecretBuffer {
    guard PAN.hasForm(pan), PAN.isLuhnValid(pan), format.panLengths.contains(pan.count) else { throw .notPAN }
    var text = try format.start(of: pan)
    // A PAN that begins with the prefix which replaces its first digit is its own start, and would never fail.
    guard format.allows(text.bytes) else { throw .notPAN }
    let tweak = try format.tweak(for: text.bytes, merchant)
    repeat { text = try step(text, format, tweak, key, FF1.encrypt) } while !format.allows(text.bytes)
    return text
  }

  /// The inverse of `make`.
  ///
  /// - Throws: `.notSurrogate` if this is no PAN's surrogate.
  package static func pan(
    of surrogate: Span<UInt8>, merchant: Span<UInt8>, format: SurrogateFormat = .usual, key: Span<UInt8>
  ) throws(PANError) -> SecretBuffer {
    guard let lengths = format.panLengths(ofSurrogate: surrogate.count), format.allows(surrogate) else { throw .notSurrogate }
    let tweak = try format.tweak(for: surrogate, merchant)
    var text = try buffer(copying: surrogate)
    repeat { text = try step(text, format, tweak, key, FF1.decrypt) } while !format.allows(text.bytes)
    // Which length fits is the PAN's, and its caller will see it.
    for count in lengths {
      let pan = try format.pan(count, from: text.bytes)
      if try format.isStart(text, of: pan) { return pan }
    }
    throw .notSurrogate
  }
}

extension Surrogate {
  private typealias Cipher = (Span<UInt8>, Span<UInt8>, Span<UInt8>) throws(CryptoError) -> SecretBuffer

  /// One encryption or decryption of what the format hides.
  private static func step(
    _ text: borrowing SecretBuffer, _ format: SurrogateFormat, _ tweak: borrowing SecretBuffer, _ key: Span<UInt8>, _ cipher: Cipher
  ) throws(PANError) -> SecretBuffer {
    let hidden = format.enciphered(of: text.count)
    var next = try buffer(copying: text.bytes)
    let part: SecretBuffer
    do throws(CryptoError) { part = try cipher(key, tweak.bytes, text.bytes.extracting(hidden)) } catch { throw .crypto(error) }
    next.put(part.bytes, at: hidden.lowerBound)
    format.settle(&next)
    return next
  }

  private static func buffer(copying digits: Span<UInt8>) throws(PANError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(copying: digits) } catch { throw .crypto(.exhausted) }
  }
}
