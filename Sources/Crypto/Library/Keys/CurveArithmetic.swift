internal import COpenSSL
internal import Host

extension Curve {
  /// A scalar in 1..<n, by rejection sampling (FIPS 186-5 A.2.2).
  func randomScalar() throws(CryptoError) -> SecretBuffer {
    for _ in 0..<64 {
      let scalar = try Random.secret(count: fieldSize)
      if try contains(scalar) { return scalar }
    }
    throw .backend
  }

  private func contains(_ scalar: borrowing SecretBuffer) throws(CryptoError) -> Bool { try contains(scalar: BigNumber(scalar.bytes)) }

  /// Multiplies the generator by a scalar in constant time; returns the uncompressed point.
  ///
  /// - Throws: `invalidKey` for a scalar outside 1..<n.
  func multiplyGenerator(_ scalar: borrowing BigNumber) throws(CryptoError) -> [UInt8] {
    guard try contains(scalar: scalar) else { throw .invalidKey }
    let group = try unsafe group()
    let point = try unsafe Owned(EC_POINT_new(group), EC_POINT_clear_free)
    try unsafe check(EC_POINT_mul(group, point.pointer, scalar.pointer, nil, nil, nil))
    var encoded = [UInt8](repeating: 0, count: pointSize)
    let written = unsafe EC_POINT_point2oct(
      group, point.pointer, POINT_CONVERSION_UNCOMPRESSED, &encoded, pointSize, nil)
    guard written == pointSize else { throw failure(.backend) }
    return encoded
  }

  /// A point from its uncompressed encoding, which is checked to be on the curve.
  ///
  /// - Throws: `invalidPoint` for anything else.
  func point(_ encoded: Span<UInt8>) throws(CryptoError) -> Owned {
    try checkForm(encoded)
    let group = try unsafe group()
    let point = try unsafe Owned(EC_POINT_new(group), EC_POINT_free)
    try unsafe check(EC_POINT_oct2point(group, point.pointer, encoded.start, encoded.count, nil), or: .invalidPoint)
    return point
  }

  /// Whether a scalar lies in 1..<n.
  func contains(scalar: borrowing BigNumber) throws(CryptoError) -> Bool {
    let group = try unsafe group()
    return unsafe BN_is_zero(scalar.pointer) == 0
      && BN_cmp(scalar.pointer, EC_GROUP_get0_order(group)) < 0
  }

  /// The curve's group, made once and never changed.
  @unsafe func group() throws(CryptoError) -> OpaquePointer {
    let group: Group =
      switch self {
      case .p256: .p256
      case .p384: .p384
      }
    guard let pointer = unsafe group.pointer else { throw .backend }
    return unsafe pointer
  }

  @safe private struct Group: @unchecked Sendable {
    let pointer: OpaquePointer?

    static let p256 = Group(.p256)
    static let p384 = Group(.p384)

    private init(_ curve: Curve) { unsafe pointer = EC_GROUP_new_by_curve_name(curve.opensslIdentifier) }
  }
}
