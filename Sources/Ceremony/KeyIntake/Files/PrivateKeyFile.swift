// KeyIntake: keys as people bring them: files under passphrases, PEM, components on sheets.
// It opens them with OpenSSL, checks them and gives keys that `CryptoBackend` knows.
// The daemon must not link it: it gets keys in one form only, PKCS #8 or a key block.

package import Crypto
import Host

/// Reads key files in the common formats.
///
/// PEM or DER of PKCS #8, PKCS #8 under PBES2, SEC1, PKCS #1 and PKCS #12; PEM may also contain
/// certificates. The file must already be in secret memory. Encryption that no longer protects is
/// refused rather than removed, except in PKCS #12, because Keychain exports such files.
package enum PrivateKeyFile {
  /// In bytes.
  package static let maximumSize = 64 << 10
  static let maximumCertificates = 16

  /// Whether a PKCS #12 file may use RC2, which OpenSSL's legacy provider implements.
  package enum OldAlgorithms: Sendable { case refused, accepted }

  /// - Parameters:
  ///   - passphrase: nil if none was given. For PKCS #12, nil and an empty one are both tried.
  /// - Throws: a `KeyFileError` that says what is wrong.
  package static func decode(
    _ file: Span<UInt8>, passphrase: Span<UInt8>?, oldAlgorithms: OldAlgorithms = .refused
  ) throws(KeyFileError) -> ImportedKey {
    guard file.count <= maximumSize else { throw .tooLarge }
    let imported = try read(file, passphrase, oldAlgorithms)
    try reading(imported.key?.validate())
    return imported
  }

  private static func read(
    _ file: Span<UInt8>, _ passphrase: Span<UInt8>?, _ oldAlgorithms: OldAlgorithms
  ) throws(KeyFileError) -> ImportedKey {
    guard file.count > 0, file[0] == DERTag.sequence.rawValue else {
      return try decodePEM(file, passphrase)
    }
    switch Form(file) {
    case .pkcs8:
      return ImportedKey(
        key: try reading(PrivateKey(pkcs8DER: file)), certificates: [])
    case .sec1:
      return ImportedKey(
        key: try reading(PrivateKey(ecPrivateKeyDER: file)),
        certificates: [])
    case .pkcs1:
      return ImportedKey(
        key: try reading(PrivateKey(rsaPrivateKeyDER: file)),
        certificates: [])
    case .encryptedPKCS8:
      return ImportedKey(key: try EncryptedPKCS8.open(file, passphrase), certificates: [])
    case .certificate:
      return ImportedKey(key: nil, certificates: [try reading(Certificate(der: file))])
    case .other: return try PKCS12.open(file, passphrase, oldAlgorithms)
    }
  }

  /// The format of a DER file, judged by its first elements.
  private enum Form {
    case pkcs8, sec1, pkcs1, encryptedPKCS8, certificate, other

    init(_ file: Span<UInt8>) {
      self = .other
      var whole = DERReader(file)
      guard var fields = try? whole.enter() else { return }
      if fields.nextTag == .sequence {
        guard let inner = try? fields.enter() else { return }
        self = inner.nextTag == .oid ? .encryptedPKCS8 : .certificate
        return
      }
      guard let version = try? fields.readSmall() else { return }
      switch (version, fields.nextTag) {
      case (0...1, DERTag.sequence?): self = .pkcs8
      case (0, DERTag.integer?): self = .pkcs1
      case (1, DERTag.octetString?): self = .sec1
      default: return
      }
    }
  }

  private static func decodePEM(_ file: Span<UInt8>, _ passphrase: Span<UInt8>?)
    throws(KeyFileError) -> ImportedKey
  {
    var reader = PEMReader(file)
    var found: PrivateKey?
    var certificates: [Certificate] = []
    while let block = try reader.next() {
      let der = block.der.bytes
      if block.label == .certificate {
        guard certificates.count < maximumCertificates else { throw .tooLarge }
        certificates.append(try reading(Certificate(der: der)))
        continue
      }
      guard block.label != .publicKey else { continue }
      guard found == nil else { throw .severalKeys }
      switch block.label {
      case .certificate, .publicKey: continue
      case .pkcs8: found = try reading(PrivateKey(pkcs8DER: der))
      case .sec1: found = try reading(PrivateKey(ecPrivateKeyDER: der))
      case .pkcs1:
        found = try reading(PrivateKey(rsaPrivateKeyDER: der))
      case .encryptedPKCS8: found = try EncryptedPKCS8.open(der, passphrase)
      }
    }
    guard found != nil || !certificates.isEmpty else { throw .notAKeyFile }
    return ImportedKey(key: found, certificates: certificates)
  }
}

/// The contents of a key file.
package struct ImportedKey: Sendable {
  package let key: PrivateKey?
  /// At most `PrivateKeyFile.maximumCertificates`, in the order of the file.
  package let certificates: [Certificate]

  /// The certificate that certifies the key.
  package var certificate: Certificate? {
    guard let key else { return nil }
    return certificates.first { $0.spki == key.spki }
  }
}

/// Why a key file was refused; the importing command turns each case into advice.
package enum KeyFileError: Error, Equatable {
  /// More than `PrivateKeyFile.maximumSize` bytes, blocks or certificates.
  case tooLarge
  /// Not a form that we know, or it contains neither key nor certificate.
  case notAKeyFile
  /// A known form, but its encoding is broken.
  case malformed
  /// The file contains more than one key, or where a public key is wanted more than one
  /// certificate.
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

/// Runs a step whose errors are errors of a key or a certificate.
func reading<T: ~Copyable>(_ step: @autoclosure () throws(CryptoError) -> T) throws(KeyFileError)
  -> T
{
  do throws(CryptoError) { return try step() } catch { throw KeyFileError(error) }
}

/// Runs a step whose errors are errors in the encoding.
func decoding<T: ~Copyable>(_ step: @autoclosure () throws(CryptoError) -> T) throws(KeyFileError)
  -> T
{
  do throws(CryptoError) { return try step() } catch { throw KeyFileError(encoding: error) }
}
