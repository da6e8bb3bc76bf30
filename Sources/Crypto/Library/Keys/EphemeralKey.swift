package import Host

/// A P-256 key for one ECDH agreement, gone with it.
///
/// It is no `PrivateKey`, because OpenSSL needs as long for making such an object and its public key as for both multiplications.
package struct EphemeralKey: ~Copyable {
  private let agreement: Agreement

  /// From 32 bytes, as in test vectors.
  ///
  /// - Throws: `invalidKey` for a scalar outside 1..<n.
  package init(scalar bytes: Span<UInt8>) throws(CryptoError) {
    agreement = try Agreement(scalar: bytes, on: .p256)
  }

  package static func generate() throws(CryptoError) -> EphemeralKey {
    let scalar = try Curve.p256.randomScalar()
    return try EphemeralKey(scalar: scalar.bytes)
  }

  /// 65 bytes 04 ‖ X ‖ Y.
  package var point: [UInt8] { agreement.point }

  /// ECDH with a peer's uncompressed point.
  ///
  /// - Parameter peer: 65 bytes 04 ‖ X ‖ Y.
  /// - Returns: Z, 32 bytes including leading zeros.
  /// - Throws: `invalidPoint` for another encoding or a point off the curve.
  package borrowing func agree(with peer: Span<UInt8>) throws(CryptoError) -> SecretBuffer { try agreement.z(with: peer) }
}
