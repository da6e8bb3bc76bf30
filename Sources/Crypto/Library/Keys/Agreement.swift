import COpenSSL
package import Host

/// A key pair for ECDH: a scalar, and its point on a curve.
final class Agreement: Sendable {
  let scalar: BigNumber
  /// 04 ‖ X ‖ Y.
  let point: [UInt8]
  private let curve: Curve

  /// - Throws: `invalidKey` for a scalar of another size than the curve's, or outside 1..<n.
  init(scalar bytes: Span<UInt8>, on curve: Curve) throws(CryptoError) {
    guard bytes.count == curve.fieldSize else { throw .invalidKey }
    let scalar = try BigNumber(bytes)
    point = try curve.multiplyGenerator(scalar)
    self.scalar = scalar
    self.curve = curve
  }

  /// Z, the abscissa of scalar times point (SP 800-56A §5.7.1.2); the cofactor of both curves is 1.
  ///
  /// - Parameter point: 04 ‖ X ‖ Y.
  /// - Returns: 32 or 48 bytes, including leading zeros.
  /// - Throws: `invalidPoint` for another encoding or a point off the curve.
  func z(with point: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    let group = try unsafe curve.group()
    let peer = try curve.point(point)
    let product = try unsafe Owned(EC_POINT_new(group), EC_POINT_clear_free)
    try unsafe check(EC_POINT_mul(group, product.pointer, nil, peer.pointer, scalar.pointer, nil))
    let x = try BigNumber()
    // The point at infinity has none, but no scalar in 1..<n gives it.
    try unsafe check(EC_POINT_get_affine_coordinates(group, product.pointer, x.pointer, nil, nil))
    var z = try SecretBuffer.make(curve.fieldSize)
    var out = z.mutableBytes
    try x.write(into: &out)
    return z
  }
}

/// A P-256 key for one ECDH agreement, gone with it.
///
/// It is no `PrivateKey`, because OpenSSL needs as long for making such an object and its public
/// key as for both multiplications.
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
  package borrowing func agree(with peer: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    try agreement.z(with: peer)
  }
}
