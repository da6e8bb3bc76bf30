internal import Crypto

/// Why a key file was refused; the importing command turns each case into advice.
package enum KeyFileError: Error, Equatable, Sendable {
  /// More than `PrivateKeyFile.maximumSize` bytes, blocks or certificates.
  case tooLarge
  /// Not a form that we know, or it contains neither key nor certificate.
  case notAKeyFile
  /// A known form, but its encoding is broken.
  case malformed
  /// The file contains more than one key, or where a public key is wanted more than one certificate.
  case severalKeys
  /// The file contains a private key, and another party's public one is wanted.
  case privateKey
  case passphraseNeeded
  case wrongPassphrase
  /// DES, RC2, RC4, or a key derived with a single hash: convert the file first.
  case weakEncryption
  /// An algorithm that we do not know.
  case unsupportedEncryption
  /// A PKCS #12 file with RC2, which is read only if the caller accepts old algorithms.
  case legacyEncryption
  /// The key's kind, curve or size is not supported, or its parts do not match.
  case invalidKey
  case invalidCertificate
  /// The arena is full.
  case exhausted
  case backend

  /// Maps an error in the key itself.
  init(_ error: CryptoError) {
    switch error {
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed: self = .invalidKey
    case .invalidCertificate: self = .invalidCertificate
    case .exhausted: self = .exhausted
    case .backend: self = .backend
    }
  }

  /// Maps an error in the encoding.
  init(encoding error: CryptoError) {
    switch error {
    case .authenticationFailed: self = .wrongPassphrase
    case .invalidKey, .invalidPoint, .invalidInput: self = .malformed
    case .invalidCertificate: self = .invalidCertificate
    case .exhausted: self = .exhausted
    case .backend: self = .backend
    }
  }
}

/// Runs a step whose errors are errors in the encoding.
func decoding<T: ~Copyable>(_ step: () throws(CryptoError) -> T) throws(KeyFileError) -> T {
  do throws(CryptoError) { return try step() } catch { throw KeyFileError(encoding: error) }
}
