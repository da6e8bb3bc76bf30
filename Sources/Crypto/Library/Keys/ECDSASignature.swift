internal import COpenSSL

/// An ECDSA signature, to convert between its two encodings.
struct ECDSASignature: ~Copyable {
  private let value: Owned

  /// Parses a signature as OpenSSL does, which takes other encodings than DER, too.
  init(der: Span<UInt8>) throws(CryptoError) {
    var next: UnsafePointer<UInt8>? = unsafe der.start
    value = try unsafe Owned(d2i_ECDSA_SIG(nil, &next, der.count), ECDSA_SIG_free)
  }

  /// Parses r ‖ s; nil unless each is as wide as the field.
  init?(fixedWidth bytes: Span<UInt8>, _ curve: Curve) throws(CryptoError) {
    let width = curve.fieldSize
    guard bytes.count == 2 * width else { return nil }
    let value = try unsafe Owned(ECDSA_SIG_new(), ECDSA_SIG_free)
    let r = unsafe BN_bin2bn(bytes.start, Int32(width), nil)
    let s = unsafe BN_bin2bn(bytes.start + width, Int32(width), nil)
    guard let r = unsafe r, let s = unsafe s, unsafe ECDSA_SIG_set0(value.pointer, r, s) == 1 else {
      unsafe BN_free(r)
      unsafe BN_free(s)
      throw failure(.backend)
    }
    self.value = value
  }

  @unsafe var r: OpaquePointer? { unsafe ECDSA_SIG_get0_r(value.pointer) }
  @unsafe var s: OpaquePointer? { unsafe ECDSA_SIG_get0_s(value.pointer) }

  func fixedWidth(_ curve: Curve) throws(CryptoError) -> [UInt8] {
    let width = curve.fieldSize
    var r = [UInt8](repeating: 0, count: width), s = r
    guard unsafe BN_bn2binpad(self.r, &r, Int32(width)) == Int32(width),
      unsafe BN_bn2binpad(self.s, &s, Int32(width)) == Int32(width)
    else { throw failure(.backend) }
    return r + s
  }

  func der() throws(CryptoError) -> [UInt8] {
    let pointer = unsafe value.pointer
    return try unsafe encode { out in unsafe i2d_ECDSA_SIG(pointer, out) }
  }
}
