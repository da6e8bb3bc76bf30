internal import CryptoBackend
package import SecretMemory

/// A key and what it is for, wrapped as text under a key block protection key: ANSI X9.143 (TR-31) version D.
///
/// A block is `header ‖ hex(ciphertext) ‖ hex(MAC)`. The MAC is over the header's characters and the plaintext, and is the
/// ciphertext's IV; the plaintext is the key's length in bits (2 bytes), the key, and random padding.
package enum KeyBlock {
  /// A block that has been opened.
  package struct Opened: ~Copyable {
    package let header: KeyBlockHeader
    /// Raw for a symmetric key; RFC 5915 `ECPrivateKey` or PKCS#1 `RSAPrivateKey` DER for an asymmetric one.
    package let key: SecretBuffer

    package consuming func takeKey() -> SecretBuffer { key }
  }

  /// Wraps `key` under `kbpk` of 16, 24 or 32 bytes, with its length hidden as far as its algorithm's longest symmetric key.
  ///
  /// - Throws: `KeyBlockError.keyLength` where the algorithm has no key of that length; `.length` above 9,999 characters; `.kbpk`; `.crypto`.
  package static func wrap(key: Span<UInt8>, header: KeyBlockHeader, kbpk: Span<UInt8>) throws(KeyBlockError) -> [UInt8] {
    guard key.count <= longestKey, header.algorithm.allows(byteCount: key.count) else { throw .keyLength }
    let plaintextCount = roundedUp(2 + max(key.count, header.algorithm.maskedByteCount))
    let count = header.count + 2 * (plaintextCount + macCount)
    guard count <= longest else { throw .length }
    let keys = try BlockKeys(kbpk: kbpk)
    do throws(CryptoError) {
      return try seal(key, padTo: plaintextCount, after: header.text(blockLength: count), keys)
    } catch {
      throw .crypto(error)
    }
  }

  /// Opens `text`; nothing of it is believed unless its MAC is right.
  ///
  /// - Throws: `KeyBlockError`; `.mac` for a wrong KBPK as for a changed block.
  package static func unwrap(_ text: Span<UInt8>, kbpk: Span<UInt8>) throws(KeyBlockError) -> Opened {
    let (header, headerCount) = try KeyBlockHeader.parse(text)
    guard KeyBlockHeader.declaredLength(text) == text.count, text.count.isMultiple(of: unit) else { throw .length }
    let body = text.extracting(droppingFirst: headerCount)
    guard body.count >= 2 * (unit + macCount) else { throw .length }
    guard let mac = UpperHex.decode(body.extracting(last: 2 * macCount)) else { throw .hex }
    guard let ciphertext = UpperHex.decode(body.extracting(droppingLast: 2 * macCount)) else { throw .hex }
    guard ciphertext.count.isMultiple(of: unit) else { throw .length }
    let keys = try BlockKeys(kbpk: kbpk)
    let message: SecretBuffer
    do throws(CryptoError) {
      message = try open(ciphertext, mac: mac, after: text.extracting(first: headerCount), keys)
    } catch {
      throw error == .authenticationFailed ? .mac : .crypto(error)
    }
    let key = try key(in: message.bytes.extracting(droppingFirst: headerCount), of: header.algorithm)
    return Opened(header: header, key: key)
  }

  /// Bytes of an AES block; also characters that a header is a multiple of.
  static let unit = 16
  static let macCount = 16
  /// What four decimal digits can announce, in characters.
  static let longest = 9_999
  /// What two bytes can announce in bits, in bytes.
  private static let longestKey = 0xFFFF / 8
}

extension KeyBlock {
  /// `header` and its key as block text, the plaintext `padTo` bytes long.
  private static func seal(_ key: Span<UInt8>, padTo plaintextCount: Int, after header: [UInt8], _ keys: borrowing BlockKeys) throws(CryptoError) -> [UInt8] {
    // One buffer for header ‖ plaintext, which is what the MAC is over.
    var message = try buffer(header.count + plaintextCount)
    do {
      var bytes = message.mutableBytes
      try Random.fill(&bytes)
      bytes.copy(header.span)
      let bits = UInt16(key.count * 8)
      bytes[header.count] = UInt8(bits >> 8)
      bytes[header.count + 1] = UInt8(truncatingIfNeeded: bits)
      bytes.copy(key, at: header.count + 2)
    }
    let mac = try AESCMAC.authenticate(key: keys.kbak.bytes, message: message.bytes)
    let plaintext = message.bytes.extracting(droppingFirst: header.count)
    let ciphertext = try AESCBC.encrypt(key: keys.kbek.bytes, iv: mac.span, plaintext: plaintext)
    return header + UpperHex.encode(ciphertext.span) + UpperHex.encode(mac.span)
  }

  /// `header ‖ plaintext`, once the MAC over it is the block's.
  private static func open(_ ciphertext: [UInt8], mac: [UInt8], after header: Span<UInt8>, _ keys: borrowing BlockKeys) throws(CryptoError) -> SecretBuffer {
    let plaintext = try AESCBC.decrypt(key: keys.kbek.bytes, iv: mac.span, ciphertext: ciphertext.span)
    var message = try buffer(header.count + plaintext.count)
    do {
      var bytes = message.mutableBytes
      bytes.copy(header)
      bytes.copy(plaintext.bytes, at: header.count)
    }
    let expected = try AESCMAC.authenticate(key: keys.kbak.bytes, message: message.bytes)
    guard ConstantTime.equal(expected.span, mac.span) else { throw .authenticationFailed }
    return message
  }

  /// The key in an authenticated plaintext.
  private static func key(in plaintext: Span<UInt8>, of algorithm: KeyBlockAlgorithm) throws(KeyBlockError) -> SecretBuffer {
    let bits = Int(plaintext[0]) << 8 | Int(plaintext[1])
    let count = bits / 8
    guard bits.isMultiple(of: 8), count <= plaintext.count - 2, algorithm.allows(byteCount: count) else { throw .keyLength }
    do throws(SecretMemoryError) {
      return try SecretBuffer(copying: plaintext.extracting(2..<2 + count))
    } catch {
      throw .crypto(.exhausted)
    }
  }

  static func buffer(_ count: Int) throws(CryptoError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw .exhausted }
  }

  private static func roundedUp(_ count: Int) -> Int { (count + unit - 1) / unit * unit }
}
