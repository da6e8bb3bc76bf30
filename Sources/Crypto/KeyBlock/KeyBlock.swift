// KeyBlock: keys wrapped with their attributes, as X9.143 (TR-31) has them.
// It knows headers, optional blocks, check values and the keys derived from a KBPK.
// It must not know where key blocks are kept, or which keys Kist has.

import CConstantTime
import Format
package import Host

/// A key wrapped, together with its attributes, as text under a key block protection key: ANSI
/// X9.143 (TR-31).
///
/// A block is `header ‖ hex(ciphertext) ‖ hex(MAC)`. In version D the MAC covers the header's
/// characters and the plaintext, and also serves as the ciphertext's IV; the plaintext is the key's
/// length in bits (2 bytes), the key, and random padding.
package enum KeyBlock {
  /// A block that was opened and authenticated.
  package struct Opened: ~Copyable {
    package let header: KeyBlockHeader
    /// Raw for a symmetric key; RFC 5915 `ECPrivateKey` or PKCS#1 `RSAPrivateKey` DER for an
    /// asymmetric one.
    package let key: SecretBuffer

    package consuming func takeKey() -> SecretBuffer { key }
  }

  /// Wraps `key` under a `kbpk` of 16, 24 or 32 bytes; padding to the algorithm's longest symmetric
  /// key hides its length.
  ///
  /// - Throws: `KeyBlockError.keyLength` if the algorithm has no keys of this length; `.length`
  ///   above 9,999 characters; `.version` for the header of a version that is only read; `.kbpk`;
  ///   `.crypto`.
  package static func wrap(key: Span<UInt8>, header: KeyBlockHeader, kbpk: Span<UInt8>)
    throws(KeyBlockError) -> [UInt8]
  {
    let version = KeyBlockVersion.d
    guard header.version == version else { throw .version(header.version.rawValue) }
    guard key.count <= longestKey, header.algorithm.allows(byteCount: key.count, in: version) else {
      throw .keyLength
    }
    let plaintextCount = roundedUp(
      2 + max(key.count, header.algorithm.maskedByteCount), to: version.unit)
    let count = header.count + 2 * (plaintextCount + version.macCount)
    guard count <= longest else { throw .length }
    let keys = try BlockKeys(kbpk: kbpk, for: version)
    return try onCrypto(
      seal(key, padTo: plaintextCount, after: header.text(blockLength: count), keys))
  }

  /// Opens `text`; nothing of it is used unless its MAC is right.
  ///
  /// - Parameter versions: the versions that are allowed; A, B and C only for keys from old
  ///   machines, by somebody's decision.
  /// - Throws: `KeyBlockError`; `.mac` both for a wrong KBPK and for a changed block.
  package static func unwrap(
    _ text: Span<UInt8>, kbpk: Span<UInt8>, allowing versions: Set<KeyBlockVersion> = [.d]
  ) throws(KeyBlockError) -> Opened {
    let (header, headerCount) = try KeyBlockHeader.parse(text, allowing: versions)
    let version = header.version
    guard KeyBlockHeader.declaredLength(text) == text.count, text.count.isMultiple(of: version.unit)
    else { throw .length }
    let body = text.extracting(droppingFirst: headerCount)
    let macDigits = 2 * version.macCount
    guard body.count >= 2 * version.unit + macDigits else { throw .length }
    guard let mac = UpperHex.decode(body.extracting(last: macDigits)) else { throw .hex }
    guard let ciphertext = UpperHex.decode(body.extracting(droppingLast: macDigits)) else {
      throw .hex
    }
    guard ciphertext.count.isMultiple(of: version.unit) else { throw .length }
    let keys = try BlockKeys(kbpk: kbpk, for: version)
    let front = text.extracting(first: headerCount)
    let plaintext = try onCrypto(decrypt(ciphertext, mac, after: front, keys, version))
    let expected = try onCrypto(authenticate(front, ciphertext, plaintext.bytes, keys, version))
    guard ConstantTime.equal(expected.span, mac.span) else { throw .mac }
    return Opened(header: header, key: try key(in: plaintext.bytes, of: header.algorithm, version))
  }

  /// The longest block in characters: its length field has four decimal digits.
  package static let longest = 9_999
  /// The longest key in bytes: its length field has two bytes and counts bits.
  private static let longestKey = 0xFFFF / 8
}

extension KeyBlock {
  /// Encrypts and authenticates: the text of a version D block whose plaintext is `padTo` bytes
  /// long.
  private static func seal(
    _ key: Span<UInt8>, padTo plaintextCount: Int, after header: [UInt8],
    _ keys: borrowing BlockKeys
  ) throws(CryptoError) -> [UInt8] {
    // One buffer for header ‖ plaintext, which the MAC covers.
    var message = try SecretBuffer.make(header.count + plaintextCount)
    do {
      var bytes = message.mutableBytes
      try Random.fill(&bytes)
      bytes.copy(header.span)
      let bits = UInt16(key.count * 8)
      bytes[header.count] = UInt8(bits >> 8)
      bytes[header.count + 1] = UInt8(truncatingIfNeeded: bits)
      bytes.copy(key, at: header.count + 2)
    }
    let mac = try BlockCipher.aes.cmac(key: keys.kbak.bytes, message: message.bytes)
    let plaintext = message.bytes.extracting(droppingFirst: header.count)
    let ciphertext = try BlockCipher.aes.encrypt(
      key: keys.kbek.bytes, iv: mac.span, plaintext: plaintext)
    return header + UpperHex.encode(ciphertext.span) + UpperHex.encode(mac.span)
  }

  /// The plaintext, not authenticated yet.
  private static func decrypt(
    _ ciphertext: [UInt8], _ mac: [UInt8], after header: Span<UInt8>, _ keys: borrowing BlockKeys,
    _ version: KeyBlockVersion
  ) throws(CryptoError) -> SecretBuffer {
    let iv = version.authenticatesCiphertext ? header.extracting(first: version.unit) : mac.span
    return try version.cipher.decrypt(key: keys.kbek.bytes, iv: iv, ciphertext: ciphertext.span)
  }

  /// The MAC that the block should have.
  private static func authenticate(
    _ header: Span<UInt8>, _ ciphertext: [UInt8], _ plaintext: Span<UInt8>,
    _ keys: borrowing BlockKeys, _ version: KeyBlockVersion
  ) throws(CryptoError) -> [UInt8] {
    guard version.authenticatesCiphertext else {
      let message = try joined(header, plaintext)
      return try version.cipher.cmac(key: keys.kbak.bytes, message: message.bytes)
    }
    // The start of the last block of TDES-CBC (ISO 9797-1 algorithm 1); header and ciphertext are
    // whole blocks.
    let message = try joined(header, ciphertext.span)
    let zeros = [UInt8](repeating: 0, count: version.unit)
    let blocks = try version.cipher.encrypt(
      key: keys.kbak.bytes, iv: zeros.span, plaintext: message.bytes)
    return Array(blocks.suffix(version.unit).prefix(version.macCount))
  }

  /// The key in an authenticated plaintext.
  private static func key(
    in plaintext: Span<UInt8>, of algorithm: KeyBlockAlgorithm, _ version: KeyBlockVersion
  ) throws(KeyBlockError) -> SecretBuffer {
    // The length of a key is no secret: its use in the header tells.
    let bits = Int(kist_declassified_number(UInt64(plaintext[0]) << 8 | UInt64(plaintext[1])))
    let count = bits / 8
    guard bits.isMultiple(of: 8), count <= plaintext.count - 2,
      algorithm.allows(byteCount: count, in: version)
    else { throw .keyLength }
    return try onCrypto(SecretBuffer.make(copying: plaintext.extracting(2..<2 + count)))
  }

  private static func joined(_ header: Span<UInt8>, _ rest: Span<UInt8>) throws(CryptoError)
    -> SecretBuffer
  {
    var message = try SecretBuffer.make(header.count + rest.count)
    var bytes = message.mutableBytes
    bytes.copy(header)
    bytes.copy(rest, at: header.count)
    return message
  }

  private static func roundedUp(_ count: Int, to unit: Int) -> Int {
    (count + unit - 1) / unit * unit
  }
}

/// What `body` makes, or its error as one of key blocks.
func onCrypto<R: ~Copyable>(_ body: @autoclosure () throws(CryptoError) -> R) throws(KeyBlockError)
  -> R
{
  do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
}

/// Why a key block could not be read or written.
package enum KeyBlockError: Error, Equatable {
  /// The text is too short or too long for a block, no multiple of its unit, or not as long as it
  /// says. [KS-BLOCK-LENGTH]
  case length
  /// A version that is unknown or not allowed here; its character. [KS-BLOCK-VERSION]
  /// [KS-BLOCK-OLD]
  case version(UInt8)
  /// A wrong field in the sixteen-character header. [KS-BLOCK-HEADER]
  case header(KeyBlockHeader.Field)
  /// A fault in the optional block at `index`, counted from 0. [KS-BLOCK-OPTIONAL]
  case optionalBlock(OptionalBlock.Fault, index: Int)
  /// Ciphertext or MAC is not upper-case hexadecimal. [KS-BLOCK-HEX]
  case hex
  /// The MAC does not match this header, key and KBPK. [KS-BLOCK-MAC]
  case mac
  /// The algorithm does not allow the key's length, or the block is too short for it.
  /// [KS-BLOCK-KEY]
  case keyLength
  /// The KBPK has the wrong length for the block's version.
  case kbpk
  case crypto(CryptoError)
}

/// Upper-case hexadecimal, the only form that key blocks use.
enum UpperHex {
  static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for i in bytes.indices {
      text.append(digit(bytes[i] >> 4))
      text.append(digit(bytes[i] & 15))
    }
    return text
  }

  static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    for i in text.indices where !isDigit(text[i]) { return nil }
    return Hex.decode(text)
  }

  static func isDigit(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
    default: false
    }
  }

  static func digit(_ nibble: UInt8) -> UInt8 { Hex.digit(nibble, upperCase: true) }
}
