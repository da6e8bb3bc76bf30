package import Crypto
import Host

/// Reads another party's public key: a certificate or a SubjectPublicKeyInfo, PEM or DER.
package enum PublicKeyFile {
  /// - Throws: a `KeyFileError` that says what is wrong; `.privateKey` if a private key is in the
  ///   file, which nobody should have sent, `.severalKeys` for more than one certificate or key.
  package static func decode(_ file: Span<UInt8>) throws(KeyFileError) -> (
    key: PublicKey, certificate: Certificate?
  ) {
    guard file.count <= PrivateKeyFile.maximumSize else { throw .tooLarge }
    guard file.count > 0, file[0] == DERTag.sequence.rawValue else { return try decodePEM(file) }
    do throws(CryptoError) { return (try PublicKey(spki: file), nil) } catch {
      guard error == .invalidKey || error == .invalidPoint else { throw KeyFileError(error) }
    }
    let found = try PrivateKeyFile.decode(file, passphrase: nil)
    guard found.key == nil else { throw .privateKey }
    guard let certificate = found.certificates.first, found.certificates.count == 1 else {
      throw .severalKeys
    }
    return (certificate.publicKey, certificate)
  }

  private static func decodePEM(_ file: Span<UInt8>) throws(KeyFileError) -> (
    key: PublicKey, certificate: Certificate?
  ) {
    var reader = PEMReader(file)
    var found: (PublicKey, Certificate?)?
    while let block = try reader.next() {
      let der = block.der.bytes
      switch block.label {
      case .pkcs8, .encryptedPKCS8, .sec1, .pkcs1: throw .privateKey
      case .publicKey, .certificate: guard found == nil else { throw .severalKeys }
      }
      if block.label == .certificate {
        let certificate = try reading(Certificate(der: der))
        found = (certificate.publicKey, certificate)
      } else {
        found = (try reading(PublicKey(spki: der)), nil)
      }
    }
    guard let found else { throw .notAKeyFile }
    return found
  }
}
