package import Crypto
package import Host
package import KeyStore

extension KeyEncryptionKey {
  /// Generates a KEK with the kernel's random generator.
  package static func generate() throws(CryptoError) -> SecretBuffer { try Random.secret(count: byteCount) }
}
