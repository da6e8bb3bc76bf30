/// The asymmetric keys Kist knows.
package enum KeyKind: Hashable, Sendable {
  case p256, p384
  /// The modulus has `KeyKind.rsaBits` bits.
  case rsa(bits: Int)
  case ed25519

  /// The RSA sizes we accept: below is too weak, above lets a peer burn our time.
  package static let rsaBits = 2048...4096

  /// The curve of an ECDH or ECDSA key.
  var curve: Curve? {
    switch self {
    case .p256: .p256
    case .p384: .p384
    case .rsa, .ed25519: nil
    }
  }
}
