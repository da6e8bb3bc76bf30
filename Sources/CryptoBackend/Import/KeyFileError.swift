/// Why a key file was refused; the command that reads it turns each into advice.
package enum KeyFileError: Error, Equatable, Sendable {
  /// More than `PrivateKeyFile.maximumSize` bytes, blocks or certificates.
  case tooLarge
  /// No form we know, or no key and no certificate in it.
  case notAKeyFile
  /// The form is known and its encoding broken.
  case malformed
  /// More than one private key.
  case severalKeys
  case passphraseNeeded
  case wrongPassphrase
  /// DES, RC2, RC4, or a key from one pass of a hash: convert the file first.
  case weakEncryption
  /// An algorithm we do not know.
  case unsupportedEncryption
  /// A PKCS #12 file with RC2: say that old algorithms may be used.
  case legacyEncryption
  /// The key's kind, curve or size is not ours, or its parts do not belong together.
  case invalidKey
  case invalidCertificate
  /// The arena is full.
  case exhausted
  case backend

  /// What a fault of the key itself becomes.
  init(_ error: CryptoError) {
    switch error {
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed: self = .invalidKey
    case .invalidCertificate: self = .invalidCertificate
    case .exhausted: self = .exhausted
    case .backend: self = .backend
    }
  }

  /// What a fault of an encoding becomes.
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

/// Runs a step whose faults are the encoding's.
func decoding<T: ~Copyable>(_ step: () throws(CryptoError) -> T) throws(KeyFileError) -> T {
  do throws(CryptoError) { return try step() } catch { throw KeyFileError(encoding: error) }
}
