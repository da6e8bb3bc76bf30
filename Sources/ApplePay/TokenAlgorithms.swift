internal import Crypto
internal import Format

/// The algorithms that a token's version prescribes; the signer cannot choose.
enum TokenAlgorithms {
  /// SHA-256 with the absent parameters of newer tokens, and with the NULL of older ones (RFC 5754 §2).
  private static let sha256: [[UInt8]] = [
    [0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01],
    [0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00],
  ]
  /// ecdsa-with-SHA256, 1.2.840.10045.4.3.2, parameters absent (RFC 5754 §3.3).
  private static let ecdsaWithSHA256: [UInt8] = [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
  /// sha256WithRSAEncryption, 1.2.840.113549.1.1.11, parameters NULL (RFC 5754 §3.2).
  private static let rsaWithSHA256: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B, 0x05, 0x00,
  ]

  /// Whether the signature's algorithms and the leaf's key are those of `version`.
  static func areThose(of version: ApplePayTokenVersion, _ signed: borrowing SignedData, leafKey: PublicKey) -> Bool {
    guard isSHA256(signed.announcedDigestAlgorithm), isSHA256(signed.digestAlgorithm) else { return false }
    switch (version, leafKey.kind) {
    case (.ecV1, .p256): return DER.isEqual(signed.signatureAlgorithm, ecdsaWithSHA256)
    case (.rsaV1, .rsa): return DER.isEqual(signed.signatureAlgorithm, rsaWithSHA256)
    case (.ecV1, .p384), (.ecV1, .rsa), (.ecV1, .ed25519), (.rsaV1, .p256), (.rsaV1, .p384), (.rsaV1, .ed25519): return false
    }
  }

  private static func isSHA256(_ identifier: Span<UInt8>) -> Bool {
    sha256.contains { DER.isEqual(identifier, $0) }
  }
}
