import Ceremony
package import Crypto
import Format
import Host

/// A private key and the certificate made for it.
package struct CertifiedKey: Sendable {
  package let key: PrivateKey
  package let certificate: Certificate

  /// A new key of `kind`, certified by `issuer`; self-signed if that is nil.
  static func make(
    _ kind: KeyKind, subject: [CertificateRequest.Attribute], extensions: [Certificate.Extension],
    by issuer: CertifiedKey?
  ) throws(CryptoError) -> CertifiedKey {
    try certify(PrivateKey.generate(kind), subject: subject, extensions: extensions, by: issuer)
  }

  /// A certificate for an existing key.
  ///
  /// - Parameter isExpired: whether it was valid on one day, long ago.
  static func certify(
    _ key: PrivateKey, subject: [CertificateRequest.Attribute], extensions: [Certificate.Extension],
    by issuer: CertifiedKey?, isExpired: Bool = false
  ) throws(CryptoError) -> CertifiedKey {
    guard let notBefore, let notAfter else { throw .invalidInput }
    let builder = CertificateBuilder(
      subject: subject, serial: try serial(), notBefore: notBefore,
      notAfter: isExpired ? notBefore.adding(seconds: 86_400) : notAfter,
      extensions: extensions)
    let certificate = try builder.issue(
      for: key.publicKey, by: issuer?.certificate, signedWith: issuer?.key ?? key)
    return CertifiedKey(key: key, certificate: certificate)
  }

  // Wide enough for a clock pinned to the time of an old token, and within the years that UTCTime
  // can express.
  private static let notBefore = Timestamp(
    year: 2010, month: 1, day: 1, hour: 0, minute: 0, second: 0)
  private static let notAfter = Timestamp(
    year: 2049, month: 12, day: 31, hour: 23, minute: 59, second: 59)

  /// Positive (RFC 5280 §4.1.2.2).
  private static func serial() throws(CryptoError) -> UInt64 {
    try Random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } >> 1 | 1
  }
}

extension CertifiedKey {
  /// Writes `NAME.cer` and, with mode 0600, `NAME.key`; both are DER, and the key is in the form of
  /// RFC 5915 or PKCS #1.
  func write(_ name: String, in directory: String, on disk: any Disk) throws(SandboxError) {
    let certificateDER = certificate.der
    let keyDER = try onCrypto(key.serialised())
    try onDisk(
      DurableFile.replace(
        name + ".key", in: directory, with: keyDER.bytes, mode: 0o600, on: disk))
    try onDisk(
      DurableFile.replace(
        name + ".cer", in: directory, with: certificateDER.span, mode: 0o644, on: disk))
  }

  /// - Throws: `SandboxError.pki` if a file is not what `write` makes, or the key is not the
  ///   certificate's.
  static func read(_ name: String, in directory: String, on disk: any Disk) throws(SandboxError)
    -> CertifiedKey
  {
    let certificate = try readCertificate(name, in: directory, on: disk)
    let der: SecretBuffer
    do throws(StorageError) {
      der = try DurableFile.readSecret(directory + "/" + name + ".key", limit: 8 << 10, on: disk)
    } catch { throw .storage(error) }
    let key: PrivateKey
    do throws(CryptoError) {
      key =
        switch certificate.publicKey.kind {
        case .p256, .p384: try PrivateKey(ecPrivateKeyDER: der.bytes)
        case .rsa: try PrivateKey(rsaPrivateKeyDER: der.bytes)
        case .ed25519: throw .invalidKey
        }
    } catch { throw .pki }
    guard key.spki == certificate.spki else { throw .pki }
    return CertifiedKey(key: key, certificate: certificate)
  }

  static func readCertificate(_ name: String, in directory: String, on disk: any Disk)
    throws(SandboxError) -> Certificate
  {
    let der: [UInt8]
    do throws(StorageError) {
      der = try DurableFile.read(
        directory + "/" + name + ".cer", limit: Certificate.maximumSize, on: disk)
    } catch { throw .storage(error) }
    do throws(CryptoError) { return try Certificate(der: der) } catch { throw .pki }
  }
}
