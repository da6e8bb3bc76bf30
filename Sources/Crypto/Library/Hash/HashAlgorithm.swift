import COpenSSL

/// The hashes of the SHA-2 family that Kist offers (FIPS 180-4).
package enum HashAlgorithm: Hashable, CaseIterable, Sendable {
  case sha256, sha384, sha512

  /// The size of a digest in bytes.
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

  /// The digest of a message that is not secret.
  package func hash(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: size)
    try unsafe check(EVP_Digest(message.start, message.count, &digest, nil, fetched.pointer, nil))
    return digest
  }

  var fetched: Fetched {
    switch self {
    case .sha256: .sha256
    case .sha384: .sha384
    case .sha512: .sha512
    }
  }

  var opensslName: StaticString {
    switch self {
    case .sha256: "SHA2-256"
    case .sha384: "SHA2-384"
    case .sha512: "SHA2-512"
    }
  }
}
