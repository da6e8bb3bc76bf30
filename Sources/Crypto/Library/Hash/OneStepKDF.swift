package import Host

/// The one-step key derivation of SP 800-56A r1 §5.8.1 (SP 800-56C r2 §4.1, option 1) with SHA-256.
package enum OneStepKDF {
  /// SHA-256(counter ‖ Z ‖ OtherInfo), with a big-endian 32-bit counter from 1.
  ///
  /// - Parameter count: 1...8160 bytes.
  package static func sha256(z: Span<UInt8>, otherInfo: Span<UInt8>, count: Int = 32) throws(CryptoError) -> SecretBuffer {
    guard z.count > 0, (1...255 * 32).contains(count) else { throw .invalidInput }
    var derived = try SecretBuffer.make((count + 31) / 32 * 32)
    for block in 0..<derived.count / 32 {
      let counter = UInt32(block + 1)
      var hasher = SHA256.Hasher()
      for shift in stride(from: 24, through: 0, by: -8) { hasher.update(byte: UInt8(truncatingIfNeeded: counter >> shift)) }
      hasher.update(z)
      hasher.update(otherInfo)
      var out = derived.mutableBytes
      hasher.finish(into: &out, at: block * 32)
    }
    guard derived.count != count else { return derived }
    return try SecretBuffer.make(copying: derived.bytes.extracting(0..<count))
  }
}
