/// Why a cryptographic operation gave nothing.
package enum CryptoError: Error, Equatable, Sendable {
  /// The key's encoding, size or consistency.
  case invalidKey
  /// A peer's point: its encoding, or off the curve.
  case invalidPoint
  /// Another argument's size or shape.
  case invalidInput
  /// A tag, a padding or an unwrap; the one value for all of them.
  case authenticationFailed
  case invalidCertificate
  /// The arena is full.
  case exhausted
  /// OpenSSL or libsodium refused what it must do: a fault of ours.
  case backend
}
