import COpenSSL

/// Verifies ECDSA on P-256 with SHA-256 for one key that signs again and again, in half of the time
/// that OpenSSL takes for a key it has not seen before.
///
/// The key is made the generator of a copy of the group, since OpenSSL keeps a table of multiples
/// for a generator (fixed-base windowing, Handbook of Applied Cryptography §14.6.3). Every number
/// here is computed by OpenSSL. Only public numbers may come here: OpenSSL does not promise
/// constant time for this.
package final class FixedKeyVerifier: Sendable {
  private let group: Owned
  private let scratches = Prepared<Scratch>()

  /// Makes the table: some 16 ms, and 150 KiB of OpenSSL's heap.
  ///
  /// - Throws: `invalidKey` unless the key is on P-256, `exhausted`.
  package init(_ key: PublicKey) throws(CryptoError) {
    guard key.kind == .p256, let encoded = key.point else { throw .invalidKey }
    let curve = try unsafe Curve.p256.group()
    group = try unsafe Owned(EC_GROUP_dup(curve), EC_GROUP_free)
    let point = try Curve.p256.point(encoded.span)
    try unsafe check(
      EC_GROUP_set_generator(
        group.pointer, point.pointer, EC_GROUP_get0_order(curve), EC_GROUP_get0_cofactor(curve)))
    try unsafe check(EC_GROUP_precompute_mult(group.pointer, nil))
  }

  /// Whether the signature in strict DER is certainly the key's over what has this SHA-256 (FIPS
  /// 186-5 §6.4.2).
  ///
  /// False decides nothing: whoever asks then asks OpenSSL (`PublicKey.verify`).
  package func accepts(signature: Span<UInt8>, digest: Digest256) -> Bool {
    do throws(CryptoError) {
      var numbers = try DERReader(sequence: signature)
      let r = try BigNumber(numbers.readUnsigned())
      let s = try BigNumber(numbers.readUnsigned())
      try numbers.finish()
      return try scratches.use(or: Scratch.init) { scratch throws(CryptoError) in
        try isValid(r, s, digest, scratch)
      }
    } catch { return false }
  }

  private func isValid(
    _ r: borrowing BigNumber, _ s: borrowing BigNumber, _ digest: Digest256, _ scratch: Scratch
  ) throws(CryptoError) -> Bool {
    let curve = try unsafe Curve.p256.group()
    let order = unsafe EC_GROUP_get0_order(curve)
    let (r, s) = unsafe (r.pointer, s.pointer)
    guard unsafe Self.isScalar(r, below: order), unsafe Self.isScalar(s, below: order) else {
      return false
    }
    let (context, e, w) = unsafe (scratch.context.pointer, scratch.e.pointer, scratch.w.pointer)
    let (sum, other) = unsafe (scratch.sum.pointer, scratch.other.pointer)
    guard unsafe BN_mod_inverse(w, s, order, context) != nil else { throw failure(.backend) }
    guard unsafe BN_bin2bn(digest.span.start, Int32(digest.span.count), e) != nil else {
      throw failure(.backend)
    }
    // u₁ = e/s and u₂ = r/s modulo the order; the signature is valid if r is the abscissa of u₁G +
    // u₂Q.
    try unsafe check(BN_mod_mul(e, e, w, order, context))
    try unsafe check(BN_mod_mul(w, r, w, order, context))
    try unsafe check(EC_POINT_mul(curve, sum, e, nil, nil, context))
    try unsafe check(EC_POINT_mul(group.pointer, other, w, nil, nil, context))
    try unsafe check(EC_POINT_add(curve, sum, sum, other, context))
    // There is none for the point at infinity.
    try unsafe check(EC_POINT_get_affine_coordinates(curve, sum, e, nil, context))
    try unsafe check(BN_nnmod(e, e, order, context))
    return unsafe BN_cmp(e, r) == 0
  }

  @unsafe private static func isScalar(_ number: OpaquePointer?, below order: OpaquePointer?)
    -> Bool
  {
    unsafe BN_is_negative(number) == 0 && BN_is_zero(number) == 0 && BN_cmp(number, order) < 0
  }
}

/// What one verification computes with.
private final class Scratch: Sendable {
  let context, e, w, sum, other: Owned

  init() throws(CryptoError) {
    let curve = try unsafe Curve.p256.group()
    context = try unsafe Owned(BN_CTX_new(), BN_CTX_free)
    e = try unsafe Owned(BN_new(), BN_free)
    w = try unsafe Owned(BN_new(), BN_free)
    sum = try unsafe Owned(EC_POINT_new(curve), EC_POINT_free)
    other = try unsafe Owned(EC_POINT_new(curve), EC_POINT_free)
  }
}
