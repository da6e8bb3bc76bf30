package import Crypto
internal import Format
package import Host

/// ECDH-ES on P-256 in direct agreement (RFC 7518 §4.6): an ephemeral key, and the content key agreed with it.
package struct ECDHES: ~Copyable {
  /// The ephemeral public key, 65 bytes 04 ‖ X ‖ Y.
  package let ephemeral: [UInt8]
  /// 32 bytes, for A256GCM.
  package let contentKey: SecretBuffer

  /// - Throws: `CryptoError.invalidKey` for a key that is not on P-256.
  package init(with key: PublicKey) throws(CryptoError) {
    guard key.kind == .p256, let point = key.point else { throw .invalidKey }
    let own = try EphemeralKey.generate()
    let z = try own.agree(with: point.span)
    contentKey = try Self.derive(z.bytes, for: "A256GCM", count: 32)
    ephemeral = own.point
  }

  /// The Concat KDF of §4.6.2, with one hash.
  ///
  /// - Parameters:
  ///   - algorithm: `enc`, since the agreed key encrypts the content.
  ///   - partyU: the value of `apu`, `partyV` that of `apv`; we send neither.
  ///   - count: up to 32 bytes.
  package static func derive(
    _ z: Span<UInt8>, for algorithm: String, partyU: [UInt8] = [], partyV: [UInt8] = [], count: Int
  ) throws(CryptoError) -> SecretBuffer {
    let lengths = [Array(algorithm.utf8), partyU, partyV].map { UInt32($0.count).bigEndianBytes + $0 }
    let otherInfo = lengths.flatMap { $0 } + UInt32(count * 8).bigEndianBytes
    return try OneStepKDF.sha256(z: z, otherInfo: otherInfo.span, count: count)
  }
}
