internal import CryptoBackend
package import SecretMemory

/// A PAN's surrogate: as many digits, the same last four, never a PAN itself [OP-SURR-2].
///
/// FF1 with an AES-256 key encrypts all but the last four digits. The tweak is the last four digits and the merchant's identifier,
/// so that surrogates of different merchants cannot be compared, and a table of six-digit middles serves for only one last four.
/// The result is encrypted again until it fails Luhn's formula (cycle walking: J. Black and P. Rogaway, "Ciphers with Arbitrary
/// Finite Domains", CT-RSA 2002), which permutes the texts that fail. Since a PAN passes, its first digit is first increased by
/// one, so that it fails: the formula notices every change of one digit. The number of steps of a walk reveals nothing useful
/// about its start (M. Bellare et al., "Format-Preserving Encryption", SAC 2009, §4).
package enum Surrogate {
  /// - Parameters:
  ///   - pan: ASCII digits.
  ///   - merchant: the merchant identifier's text.
  ///   - key: 32 bytes.
  /// - Throws: `.notPAN` for anything but ten to nineteen digits with a right check digit: with other numbers, too, there
  ///   would be more inputs than surrogates.
  package static func make(of pan: Span<UInt8>, merchant: Span<UInt8>, key: Span<UInt8>) throws(PANError) -> SecretBuffer {
    guard PAN.hasForm(pan), PAN.isLuhnValid(pan) else { throw .notPAN }
    let tweak = try tweak(pan, merchant)
    var text = try shifted(pan, by: 1)
    repeat { text = try step(text, tweak, key, FF1.encrypt) } while isLuhnValid(text)
    return text
  }

  /// The inverse of `make`.
  ///
  /// - Throws: `.notSurrogate` if this is no PAN's surrogate.
  package static func pan(of surrogate: Span<UInt8>, merchant: Span<UInt8>, key: Span<UInt8>) throws(PANError) -> SecretBuffer {
    guard PAN.hasForm(surrogate), !PAN.isLuhnValid(surrogate) else { throw .notSurrogate }
    let tweak = try tweak(surrogate, merchant)
    var text = try shifted(surrogate, by: 0)
    repeat { text = try step(text, tweak, key, FF1.decrypt) } while isLuhnValid(text)
    let pan = try shifted(text.bytes, by: 9)
    guard isLuhnValid(pan) else { throw .notSurrogate }
    return pan
  }
}

extension Surrogate {
  private typealias Cipher = (Span<UInt8>, Span<UInt8>, Span<UInt8>) throws(CryptoError) -> SecretBuffer

  /// Last four ‖ merchant: the first part always has four bytes, so no two pairs have the same tweak.
  private static func tweak(_ digits: Span<UInt8>, _ merchant: Span<UInt8>) throws(PANError) -> SecretBuffer {
    var tweak = try buffer(PAN.shown + merchant.count)
    var bytes = tweak.mutableBytes
    bytes.copy(digits.extracting(last: PAN.shown))
    bytes.copy(merchant, at: PAN.shown)
    return tweak
  }

  /// One encryption or decryption of all but the last four digits.
  private static func step(
    _ text: borrowing SecretBuffer, _ tweak: borrowing SecretBuffer, _ key: Span<UInt8>, _ cipher: Cipher
  ) throws(PANError) -> SecretBuffer {
    var next = try shifted(text.bytes, by: 0)
    let part: SecretBuffer
    do throws(CryptoError) { part = try cipher(key, tweak.bytes, text.bytes.extracting(droppingLast: PAN.shown)) } catch { throw .crypto(error) }
    var bytes = next.mutableBytes
    bytes.copy(part.bytes)
    return next
  }

  /// A copy whose first digit is increased by `amount`, modulo ten.
  private static func shifted(_ digits: Span<UInt8>, by amount: UInt8) throws(PANError) -> SecretBuffer {
    var copy = try buffer(digits.count)
    var bytes = copy.mutableBytes
    bytes.copy(digits)
    let sum = (bytes[0] & 0x0F) &+ amount
    bytes[0] = UInt8(ascii: "0") &+ sum &- 10 &* ((sum &+ 6) >> 4)
    return copy
  }

  private static func isLuhnValid(_ digits: borrowing SecretBuffer) -> Bool { PAN.isLuhnValid(digits.bytes) }

  private static func buffer(_ count: Int) throws(PANError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw .crypto(.exhausted) }
  }
}
