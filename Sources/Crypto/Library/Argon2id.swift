internal import CSodium
package import Host

/// Argon2id version 1.3 with one lane (RFC 9106), by libsodium.
///
/// While it runs, libsodium uses ordinary memory of `memoryLimit` bytes and a small heap block for the result, which root
/// could read. Before it returns it unmaps the first and wipes the second, so nothing remains.
package enum Argon2id {
  package static let saltSize = 16

  /// - Parameters:
  ///   - passphrase: any length.
  ///   - salt: 16 bytes.
  ///   - opsLimit: passes over the memory, at least 1.
  ///   - memoryLimit: bytes, at least 8192; rounded down to whole KiB.
  ///   - count: 16...1024 bytes of output.
  /// - Throws: `invalidInput` outside those sizes, `exhausted` if the memory cannot be allocated.
  package static func derive(
    passphrase: Span<UInt8>, salt: Span<UInt8>, opsLimit: Int, memoryLimit: Int, count: Int
  ) throws(CryptoError) -> SecretBuffer {
    guard salt.count == saltSize, (16...1024).contains(count), (1...Int(UInt32.max)).contains(opsLimit),
      (8192...1 << 36).contains(memoryLimit), passphrase.count <= Int(UInt32.max)
    else { throw .invalidInput }
    var derived = try SecretBuffer.make(count)
    var out = derived.mutableBytes
    let start = unsafe UnsafeRawPointer(passphrase.start).assumingMemoryBound(to: CChar.self)
    let result = unsafe crypto_pwhash_argon2id(
      out.mutableStart, UInt64(count), start, UInt64(passphrase.count), salt.start, UInt64(opsLimit), memoryLimit,
      crypto_pwhash_argon2id_alg_argon2id13())
    guard result == 0 else { throw .exhausted }
    return derived
  }
}
