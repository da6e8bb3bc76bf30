import COpenSSL
import Host

/// A named curve of SP 800-186, with its sizes and encodings.
enum Curve: Sendable {
  case p256, p384

  var kind: KeyKind {
    switch self {
    case .p256: .p256
    case .p384: .p384
    }
  }

  /// The size of a coordinate, a scalar or Z in bytes.
  var fieldSize: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    }
  }

  /// The size of an uncompressed point in bytes: 04 ‖ X ‖ Y.
  var pointSize: Int { 1 + 2 * fieldSize }

  /// The DER contents of the curve's object identifier.
  var oid: [UInt8] {
    switch self {
    case .p256: OID("1.2.840.10045.3.1.7").contents
    case .p384: OID("1.3.132.0.34").contents
    }
  }

  init?(oid: Span<UInt8>) {
    if oid.elementsEqual(Curve.p256.oid) {
      self = .p256
    } else if oid.elementsEqual(Curve.p384.oid) {
      self = .p384
    } else {
      return nil
    }
  }

  var name: StaticString {
    switch self {
    case .p256: "P-256"
    case .p384: "P-384"
    }
  }

  var opensslIdentifier: Int32 {
    switch self {
    case .p256: NID_X9_62_prime256v1
    case .p384: NID_secp384r1
    }
  }

  /// The bytes before the point in a SubjectPublicKeyInfo with this named curve (RFC 5480 §2).
  var spkiPrefix: [UInt8] {
    switch self {
    case .p256:
      [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
        0x01, 0x07, 0x03, 0x42, 0x00,
      ]
    case .p384:
      [
        0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05,
        0x2B, 0x81, 0x04, 0x00, 0x22, 0x03,
        0x62, 0x00,
      ]
    }
  }

  /// A key object with `point`, which is checked to be on the curve.
  ///
  /// - Throws: `invalidPoint` for anything but an uncompressed point on this curve.
  func publicKey(point: Span<UInt8>) throws(CryptoError) -> Owned {
    try checkForm(point)
    let key = try unsafe Owned(EVP_PKEY_new(), EVP_PKEY_free)
    guard let template = unsafe Self.template(self).value else { throw .backend }
    try unsafe check(EVP_PKEY_copy_parameters(key.pointer, template))
    try unsafe check(
      EVP_PKEY_set1_encoded_public_key(key.pointer, point.start, point.count), or: .invalidPoint)
    return key
  }

  /// OpenSSL would also accept infinity and compressed and hybrid points.
  func checkForm(_ point: Span<UInt8>) throws(CryptoError) {
    guard point.count == pointSize, point[0] == 0x04 else { throw .invalidPoint }
  }

  /// A key object with only the curve's parameters, made once.
  private static func template(_ curve: Curve) -> Template {
    switch curve {
    case .p256: p256Template
    case .p384: p384Template
    }
  }

  private static let p256Template = Template(.p256)
  private static let p384Template = Template(.p384)

  @safe private struct Template: @unchecked Sendable {
    let value: OpaquePointer?

    init(_ curve: Curve) { unsafe value = (try? Self.parameters(curve)) ?? nil }

    private static func parameters(_ curve: Curve) throws(CryptoError) -> OpaquePointer? {
      let context = try unsafe Owned(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), EVP_PKEY_CTX_free)
      let parameters = try Parameters()
      try parameters.add("group", curve.name)
      let list = try parameters.build()
      var key: OpaquePointer?
      try unsafe check(EVP_PKEY_fromdata_init(context.pointer))
      try unsafe check(EVP_PKEY_fromdata(context.pointer, &key, Selection.parameters, list.first))
      return unsafe key
    }
  }
}

extension Curve {
  /// A scalar in 1..<n, by rejection sampling (FIPS 186-5 A.2.2).
  func randomScalar() throws(CryptoError) -> SecretBuffer {
    for _ in 0..<64 {
      let scalar = try Random.secret(count: fieldSize)
      if try contains(scalar) { return scalar }
    }
    throw .backend
  }

  private func contains(_ scalar: borrowing SecretBuffer) throws(CryptoError) -> Bool {
    try contains(scalar: BigNumber(scalar.bytes))
  }

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
    try unsafe check(
      EC_POINT_oct2point(group, point.pointer, encoded.start, encoded.count, nil), or: .invalidPoint
    )
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

    private init(_ curve: Curve) {
      unsafe pointer = EC_GROUP_new_by_curve_name(curve.opensslIdentifier)
    }
  }
}
