package import Crypto
internal import Host

extension KeyMaterial {
  /// Generates a key with the kernel's random generator; it is in the arena from the start.
  ///
  /// - Throws: `CryptoError.invalidKey` for an algorithm whose keys others make (`TDEA-2`: Visa's key sets, other HSMs' old exchange keys).
  package static func generate(_ algorithm: KeyAlgorithm) throws(CryptoError) -> KeyMaterial {
    switch algorithm {
    case .asymmetric(let kind): return .privateKey(try PrivateKey.generate(kind))
    case .hmac(let hash): return .symmetric(try Random.secret(count: hash.size))
    case .aes256, .hmacOTP: return .symmetric(try Random.secret(count: 32))
    case .tripleDES2: throw .invalidKey
    }
  }
}
