import COpenSSL
package import Host

/// A key derivation function with its hash, as callers can request it.
package struct KeyDerivation: Hashable, Sendable {
  package enum Function: Hashable, CaseIterable, Sendable {
    /// H(counter ‖ Z ‖ OtherInfo): SP 800-56C r2 §4.1 option 1, SP 800-56A r1 §5.8.1.
    case oneStep
    /// H(Z ‖ counter ‖ SharedInfo): ANSI X9.63 §5.6.3.
    case x963
    /// Extract and expand: RFC 5869.
    case hkdf
  }

  package let function: Function
  package let hash: HashAlgorithm

  package init(_ function: Function, _ hash: HashAlgorithm) {
    self.function = function
    self.hash = hash
  }

  /// - Parameters:
  ///   - secret: at least one byte.
  ///   - info: OtherInfo, SharedInfo or HKDF's info.
  ///   - salt: only for HKDF.
  ///   - count: in bytes, at most 255 digests.
  /// - Throws: `invalidInput` outside those sizes, and for a salt if the function has none.
  package func derive(secret: Span<UInt8>, info: Span<UInt8>, salt: Span<UInt8>, count: Int)
    throws(CryptoError) -> SecretBuffer
  {
    guard secret.count > 0, (1...255 * hash.size).contains(count), salt.isEmpty || function == .hkdf
    else { throw .invalidInput }
    let parameters = try Parameters()
    try parameters.add("digest", hash.opensslName)
    try parameters.add("key", secret)
    // No salt and an empty salt mean the same (RFC 5869 §2.2), but OpenSSL accepts only the former.
    if salt.count > 0 { try parameters.add("salt", salt) }
    if info.count > 0 { try parameters.add("info", info) }
    let list = try parameters.build()
    let context = try unsafe Owned(EVP_KDF_CTX_new(fetched.pointer), EVP_KDF_CTX_free)
    var derived = try SecretBuffer.make(count)
    var out = derived.mutableBytes
    try unsafe check(EVP_KDF_derive(context.pointer, out.mutableStart, count, list.first))
    return derived
  }

  private var fetched: Fetched {
    switch function {
    case .oneStep: .oneStep
    case .x963: .x963
    case .hkdf: .hkdf
    }
  }
}

/// HKDF with SHA-256 (RFC 5869), extract and expand.
package enum HKDFSHA256 {
  /// - Parameters:
  ///   - secret: at least one byte.
  ///   - count: 1...8160 bytes.
  /// - Throws: `invalidInput` outside those sizes.
  package static func derive(
    secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int
  ) throws(CryptoError) -> SecretBuffer {
    try KeyDerivation(.hkdf, .sha256).derive(secret: secret, info: info, salt: salt, count: count)
  }
}

/// The one-step key derivation of SP 800-56A r1 §5.8.1 (SP 800-56C r2 §4.1, option 1) with SHA-256.
package enum OneStepKDF {
  /// SHA-256(counter ‖ Z ‖ OtherInfo), with a big-endian 32-bit counter from 1.
  ///
  /// - Parameter count: 1...8160 bytes.
  package static func sha256(z: Span<UInt8>, otherInfo: Span<UInt8>, count: Int = 32)
    throws(CryptoError) -> SecretBuffer
  {
    guard z.count > 0, (1...255 * 32).contains(count) else { throw .invalidInput }
    var derived = try SecretBuffer.make((count + 31) / 32 * 32)
    for block in 0..<derived.count / 32 {
      let counter = UInt32(block + 1)
      var hasher = SHA256.Hasher()
      for shift in stride(from: 24, through: 0, by: -8) {
        hasher.update(byte: UInt8(truncatingIfNeeded: counter >> shift))
      }
      hasher.update(z)
      hasher.update(otherInfo)
      var out = derived.mutableBytes
      hasher.finish(into: &out, at: block * 32)
    }
    guard derived.count != count else { return derived }
    return try SecretBuffer.make(copying: derived.bytes.extracting(0..<count))
  }
}
