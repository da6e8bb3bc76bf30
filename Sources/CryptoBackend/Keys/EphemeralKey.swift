internal import COpenSSL
package import SecretMemory

/// A P-256 key for one ECDH agreement, gone with it.
///
/// It is no `PrivateKey`, because OpenSSL needs as long for making such an object, its public key and their contexts as for both multiplications.
package struct EphemeralKey: ~Copyable {
  /// 65 bytes 04 ‖ X ‖ Y.
  package let point: [UInt8]
  private let scalar: BigNumber

  /// From 32 bytes, as in test vectors.
  ///
  /// - Throws: `invalidKey` for a scalar outside 1..<n.
  package init(scalar bytes: Span<UInt8>) throws(CryptoError) {
    guard bytes.count == Curve.p256.fieldSize else { throw .invalidKey }
    let scalar = try BigNumber(bytes)
    point = try Curve.p256.multiplyGenerator(scalar)
    self.scalar = scalar
  }

  package static func generate() throws(CryptoError) -> EphemeralKey {
    let scalar = try Curve.p256.randomScalar()
    return try EphemeralKey(scalar: scalar.bytes)
  }

  /// ECDH (SP 800-56A §5.7.1.2) with a peer's uncompressed point; the cofactor is 1.
  ///
  /// - Parameter peer: 65 bytes 04 ‖ X ‖ Y.
  /// - Returns: Z, 32 bytes including leading zeros.
  /// - Throws: `invalidPoint` for another encoding or a point off the curve.
  package borrowing func agree(with peer: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    let group = try unsafe Curve.p256.group()
    let point = try Curve.p256.point(peer)
    let product = try unsafe Owned(EC_POINT_new(group), EC_POINT_clear_free)
    try unsafe check(EC_POINT_mul(group, product.pointer, nil, point.pointer, scalar.pointer, nil))
    let x = try BigNumber()
    // There is none for the point at infinity, which no scalar in 1..<n gives.
    try unsafe check(EC_POINT_get_affine_coordinates(group, product.pointer, x.pointer, nil, nil))
    var z = try SecretBuffer.make(Curve.p256.fieldSize)
    var out = z.mutableBytes
    try x.write(into: &out)
    return z
  }
}
