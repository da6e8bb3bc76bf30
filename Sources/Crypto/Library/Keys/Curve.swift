internal import COpenSSL

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
    case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
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
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
        0x01, 0x07, 0x03, 0x42, 0x00,
      ]
    case .p384:
      [
        0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22, 0x03,
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
    try unsafe check(EVP_PKEY_set1_encoded_public_key(key.pointer, point.start, point.count), or: .invalidPoint)
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
