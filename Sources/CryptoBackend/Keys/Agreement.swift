internal import COpenSSL
internal import SecretMemory

/// A prepared ECDH context for one private key.
final class Agreement: Sendable {
  private let context: Owned
  /// Holds each peer's point in turn.
  private let peer: Owned

  init(_ key: borrowing Owned, on curve: Curve) throws(CryptoError) {
    context = try unsafe Owned(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), EVP_PKEY_CTX_free)
    try unsafe check(EVP_PKEY_derive_init(context.pointer))
    peer = try curve.emptyPublicKey()
  }

  /// Z with a peer's uncompressed point. After an error this object must not be used again:
  ///
  /// OpenSSL keeps a refused point in the peer object, and a later derivation would succeed with it.
  /// - Throws: `invalidPoint` for anything but an uncompressed point on the curve.
  func z(with point: Span<UInt8>, on curve: Curve) throws(CryptoError) -> SecretBuffer {
    try curve.put(point, into: peer)
    // `put` has just checked the point; a second check would double the cost.
    try unsafe check(EVP_PKEY_derive_set_peer_ex(context.pointer, peer.pointer, 0))
    var z = try SecretBuffer.make(curve.fieldSize)
    var out = z.mutableBytes
    var size = curve.fieldSize
    try unsafe check(EVP_PKEY_derive(context.pointer, out.mutableStart, &size))
    guard size == curve.fieldSize else { throw .backend }
    return z
  }
}
