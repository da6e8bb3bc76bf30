internal import Crypto
internal import Host

/// Encryption under a passphrase with PBKDF2 and a block cipher in CBC mode (RFC 8018 §6.2).
struct PBES2 {
  let salt: [UInt8]
  let iterations: Int
  let prf: PBKDF2.PRF
  let cipher: Cipher
  let iv: [UInt8]

  enum Cipher {
    case aes128, aes192, aes256, tripleDES

    var keySize: Int {
      switch self {
      case .aes128: 16
      case .aes192, .tripleDES: 24
      case .aes256: 32
      }
    }

    var blockSize: Int {
      switch self {
      case .aes128, .aes192, .aes256: 16
      case .tripleDES: 8
      }
    }
  }

  /// The plaintext without its padding.
  ///
  /// - Throws: `wrongPassphrase` if the padding is wrong; one in 256 wrong passphrases yields valid padding.
  func decrypt(_ ciphertext: Span<UInt8>, passphrase: Span<UInt8>) throws(KeyFileError) -> SecretBuffer {
    guard ciphertext.count > 0, ciphertext.count.isMultiple(of: cipher.blockSize) else { throw .malformed }
    return try decoding { () throws(CryptoError) in
      let key = try PBKDF2.derive(
        passphrase: passphrase, salt: salt.span, iterations: iterations, prf: prf, count: cipher.keySize)
      let padded =
        switch cipher {
        case .aes128, .aes192, .aes256: try AESCBC.decrypt(key: key.bytes, iv: iv.span, ciphertext: ciphertext)
        case .tripleDES: try TDES.decrypt(key: key.bytes, iv: iv.span, ciphertext: ciphertext)
        }
      guard let size = unpaddedCount(padded.bytes) else { throw .authenticationFailed }
      return try SecretBuffer.make(copying: padded.bytes.extracting(0..<size))
    }
  }

  private func unpaddedCount(_ bytes: Span<UInt8>) -> Int? {
    let pad = Int(bytes[bytes.count - 1])
    guard (1...cipher.blockSize).contains(pad) else { return nil }
    for i in bytes.count - pad..<bytes.count where Int(bytes[i]) != pad { return nil }
    return bytes.count - pad
  }
}
