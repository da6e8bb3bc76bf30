/// Why a cryptographic operation failed.
package enum CryptoError: Error, Equatable, Sendable {
  /// The key's encoding, size or consistency is wrong.
  case invalidKey
  /// A peer's point is badly encoded or not on the curve.
  case invalidPoint
  /// Another argument has a wrong size or form.
  case invalidInput
  /// A tag, padding or unwrapping failed; deliberately one value for all of these.
  case authenticationFailed
  case invalidCertificate
  /// The arena is full.
  case exhausted
  /// OpenSSL or libsodium failed at something that always works: a fault of ours.
  case backend
}

extension CryptoError {
  /// What failed, in a few words; of the data it says nothing.
  package var text: String {
    switch self {
    case .exhausted: "no memory for secrets is left"
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate, .backend: "a cryptographic operation failed"
    }
  }
}
