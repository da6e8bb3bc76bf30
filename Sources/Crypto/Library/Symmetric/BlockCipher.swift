internal import COpenSSL

/// One pass of a block cipher in CBC mode without padding.
enum BlockCipher {
  /// - Parameter out: as long as `input`, which must be whole blocks.
  static func run(
    _ cipher: Fetched, key: Span<UInt8>, iv: Span<UInt8>, input: Span<UInt8>, encrypt: Bool, into out: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    precondition(out.count == input.count && input.count.isMultiple(of: iv.count))
    guard input.count <= 1 << 30 else { throw .invalidInput }
    let context = try unsafe Owned(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free)
    var written: Int32 = 0
    try unsafe check(EVP_CipherInit_ex2(context.pointer, cipher.pointer, key.start, iv.start, encrypt ? 1 : 0, nil))
    try unsafe check(EVP_CIPHER_CTX_set_padding(context.pointer, 0))
    try unsafe check(EVP_CipherUpdate(context.pointer, out.mutableStart, &written, input.start, Int32(input.count)))
    guard Int(written) == input.count else { throw .backend }
    try unsafe check(EVP_CipherFinal_ex(context.pointer, nothing, &written))
  }
}
