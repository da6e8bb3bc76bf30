/// The hashes of the SHA-2 family that Kist offers (FIPS 180-4).
package enum HashAlgorithm: Hashable, CaseIterable, Sendable {
  case sha256, sha384, sha512

  /// Bytes of a digest.
  package var size: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// Such as `SHA-256`.
  package var name: String {
    switch self {
    case .sha256: "SHA-256"
    case .sha384: "SHA-384"
    case .sha512: "SHA-512"
    }
  }
}
