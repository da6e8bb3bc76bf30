/// The kinds of asymmetric keys that Kist supports.
package enum KeyKind: Hashable, Sendable {
  case p256, p384
  /// `bits` is the size of the modulus, within `KeyKind.rsaBits`.
  case rsa(bits: Int)
  case ed25519

  /// The RSA sizes that we accept: smaller keys are too weak, larger ones would let a peer burn our time.
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
