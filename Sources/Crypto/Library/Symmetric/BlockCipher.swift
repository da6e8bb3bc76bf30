import COpenSSL
package import Host

/// A block cipher, in CBC mode (SP 800-38A) on whole blocks without padding, and as CMAC.
package enum BlockCipher {
  /// Blocks of 16 bytes, keys of 16, 24 or 32.
  case aes
  /// Blocks of 8 bytes, keys of 16 (two keys) or 24 (SP 800-67): for check values, TR-31 A to C
  /// import, old key files, and Visa's one-time values, which require it.
  case tripleDES

  /// In bytes.
  var blockSize: Int {
    switch self {
    case .aes: 16
    case .tripleDES: 8
    }
  }

  /// - Parameters:
  ///   - iv: one block.
  ///   - plaintext: whole blocks.
  /// - Throws: `invalidInput` for other sizes.
  package func encrypt(key: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>)
    throws(CryptoError) -> [UInt8]
  {
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    var out = ciphertext.mutableSpan
    try encrypt(key: key, iv: iv, plaintext: plaintext, into: &out)
    return ciphertext
  }

  /// Likewise, into the caller's memory, because the output may be secret too.
  func encrypt(
    key: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>, into out: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    try Self.run(
      try cipher(key, iv, plaintext), key: key, iv: iv, input: plaintext, encrypt: true, into: &out)
  }

  /// The inverse of `encrypt`, with the same sizes.
  package func decrypt(key: Span<UInt8>, iv: Span<UInt8>, ciphertext: Span<UInt8>)
    throws(CryptoError) -> SecretBuffer
  {
    let cipher = try cipher(key, iv, ciphertext)
    var plaintext = try SecretBuffer.make(ciphertext.count)
    var out = plaintext.mutableBytes
    try Self.run(cipher, key: key, iv: iv, input: ciphertext, encrypt: false, into: &out)
    return plaintext
  }

  private func cipher(_ key: Span<UInt8>, _ iv: Span<UInt8>, _ input: Span<UInt8>)
    throws(CryptoError) -> Fetched
  {
    guard iv.count == blockSize, input.count.isMultiple(of: blockSize) else { throw .invalidInput }
    switch (self, key.count) {
    case (.aes, 16): return .aes128CBC
    case (.aes, 24): return .aes192CBC
    case (.aes, 32): return .aes256CBC
    case (.tripleDES, 16): return .tripleDES2CBC
    case (.tripleDES, 24): return .tripleDES3CBC
    case (.aes, _), (.tripleDES, _): throw .invalidInput
    }
  }

  /// - Parameter out: as long as `input`, which must be whole blocks.
  private static func run(
    _ cipher: Fetched, key: Span<UInt8>, iv: Span<UInt8>, input: Span<UInt8>, encrypt: Bool,
    into out: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    precondition(out.count == input.count && input.count.isMultiple(of: iv.count))
    guard input.count <= 1 << 30 else { throw .invalidInput }
    let context = try unsafe Owned(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free)
    var written: Int32 = 0
    try unsafe check(
      EVP_CipherInit_ex2(context.pointer, cipher.pointer, key.start, iv.start, encrypt ? 1 : 0, nil)
    )
    try unsafe check(EVP_CIPHER_CTX_set_padding(context.pointer, 0))
    try unsafe check(
      EVP_CipherUpdate(context.pointer, out.mutableStart, &written, input.start, Int32(input.count))
    )
    guard Int(written) == input.count else { throw .backend }
    try unsafe check(EVP_CipherFinal_ex(context.pointer, nothing, &written))
  }
}

/// CMAC (SP 800-38B, RFC 4493); with triple DES only for importing TR-31 version B.
extension BlockCipher {
  /// The tag of one block, when it is not secret.
  ///
  /// - Throws: `invalidInput` for another key size than the cipher's.
  package func cmac(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    try mac(for: key).tag(key: key, message, count: blockSize)
  }

  /// The tag in secret memory, when it is part of a derived key.
  package func secretCMAC(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError)
    -> SecretBuffer
  {
    try mac(for: key).secretTag(key: key, message, count: blockSize)
  }

  static let cmacAES128 = try? MAC("CMAC", "cipher", "AES-128-CBC", keySize: 16)
  static let cmacAES192 = try? MAC("CMAC", "cipher", "AES-192-CBC", keySize: 24)
  static let cmacAES256 = try? MAC("CMAC", "cipher", "AES-256-CBC", keySize: 32)
  private static let cmacTDES2 = try? MAC("CMAC", "cipher", "DES-EDE-CBC", keySize: 16)
  private static let cmacTDES3 = try? MAC("CMAC", "cipher", "DES-EDE3-CBC", keySize: 24)

  private func mac(for key: Span<UInt8>) throws(CryptoError) -> MAC {
    let sized: MAC? =
      switch (self, key.count) {
      case (.aes, 16): Self.cmacAES128
      case (.aes, 24): Self.cmacAES192
      case (.aes, 32): Self.cmacAES256
      case (.tripleDES, 16): Self.cmacTDES2
      case (.tripleDES, 24): Self.cmacTDES3
      case (.aes, _), (.tripleDES, _): throw .invalidInput
      }
    guard let sized else { throw .backend }
    return sized
  }
}
