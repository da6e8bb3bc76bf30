package import Crypto
package import Host

/// A pass sealed for Apple under EV_ECC_v2.
///
/// Source: Apple, "Getting Started with Apple Pay In-App Provisioning" §VIII and §XI; the public
/// encryption log.
package struct SealedPass: Sendable {
  /// Ciphertext and 16-byte tag.
  package let encryptedPassData: [UInt8]
  /// 65 bytes 04 ‖ X ‖ Y.
  package let ephemeralPublicKey: [UInt8]

  /// Seals with a new ephemeral key: the IV never changes, so no ephemeral key may be used twice.
  /// [OP-PROV-4]
  ///
  /// - Parameter recipient: 65 bytes on P-256.
  package init(_ passData: Span<UInt8>, for recipient: Span<UInt8>) throws(CryptoError) {
    let steps = try ProvisioningSteps(ephemeral: EphemeralKey.generate(), recipient: recipient)
    encryptedPassData = try steps.seal(passData)
    ephemeralPublicKey = steps.ephemeralPublicKey
  }
}

/// The values between an ephemeral key and a sealed pass, as Apple's `encryptionlog.txt` lists
/// them.
package struct ProvisioningSteps: ~Copyable {
  /// 65 bytes.
  package let ephemeralPublicKey: [UInt8]
  /// Z, 32 bytes.
  package let sharedSecret: SecretBuffer
  /// AlgorithmID with its length byte, PartyU and PartyV without: 84 bytes.
  package let otherInfo: [UInt8]
  /// 32 bytes.
  package let sharedKey: SecretBuffer

  /// - Throws: `CryptoError.invalidPoint` for a recipient that is no point of P-256.
  package init(ephemeral: consuming EphemeralKey, recipient: Span<UInt8>) throws(CryptoError) {
    let point = ephemeral.point
    // SP 800-56A r1 §5.8.1.2, PartyV being the ephemeral public key.
    let info = [13] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8) + point
    let z = try ephemeral.agree(with: recipient)
    sharedKey = try Self.derive(z, info)
    sharedSecret = z
    ephemeralPublicKey = point
    otherInfo = info
  }

  private static func derive(_ z: borrowing SecretBuffer, _ info: [UInt8]) throws(CryptoError)
    -> SecretBuffer
  {
    try OneStepKDF.sha256(z: z.bytes, otherInfo: info.span)
  }

  /// AES-256-GCM with an IV of 12 zero bytes (payment tokens have 16) and no additional data:
  /// ciphertext and tag.
  package borrowing func seal(_ passData: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let iv = [UInt8](repeating: 0, count: 12)
    return try AESGCM.seal(key: sharedKey.bytes, iv: iv.span, plaintext: passData)
  }
}
