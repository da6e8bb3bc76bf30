internal import Crypto
internal import Format
internal import Host

/// PKCS #8 encrypted under a passphrase (RFC 5958 §3), only with PBES2.
enum EncryptedPKCS8 {
  static func open(_ der: Span<UInt8>, _ passphrase: Span<UInt8>?) throws(KeyFileError) -> PrivateKey {
    let fields = try decoding { () throws(CryptoError) in try Fields(der) }
    guard fields.scheme == .pbes2 else { throw fields.scheme.isOldEncryption ? .weakEncryption : .unsupportedEncryption }
    let pbes2 = try PBES2(fields.parameters.span)
    guard let passphrase else { throw .passphraseNeeded }
    let plain = try pbes2.decrypt(fields.ciphertext.span, passphrase: passphrase)
    guard isWholeSequence(plain.bytes) else { throw .wrongPassphrase }
    do throws(CryptoError) { return try PrivateKey(pkcs8DER: plain.bytes) } catch { throw KeyFileError(error) }
  }

  /// SEQUENCE { SEQUENCE { scheme, parameters }, OCTET STRING }; nothing in it is secret.
  private struct Fields {
    let scheme: OID
    let parameters, ciphertext: [UInt8]

    init(_ der: Span<UInt8>) throws(CryptoError) {
      var whole = DERReader(der)
      var fields = try whole.enter()
      try whole.finish()
      var algorithm = try fields.enter()
      ciphertext = try fields.read(.octetString).array
      try fields.finish()
      scheme = OID(contents: try algorithm.read(.oid).array)
      parameters = try algorithm.read(.sequence).array
      try algorithm.finish()
    }
  }

  private static func isWholeSequence(_ bytes: Span<UInt8>) -> Bool {
    var reader = DERReader(bytes)
    guard (try? reader.enter()) != nil else { return false }
    return reader.isAtEnd
  }
}

extension OID {
  fileprivate static let pbes2 = OID(1, 2, 840, 113549, 1, 5, 13)

  /// PBES1 and the schemes of PKCS #12: RC4, RC2, DES, and 3DES with a key derived by SHA-1.
  fileprivate var isOldEncryption: Bool {
    let pkcs12 = OID(1, 2, 840, 113549, 1, 12, 1).contents
    let pbes1: [OID] = [1, 3, 4, 6, 10, 11].map { OID(1, 2, 840, 113549, 1, 5, $0) }
    return pbes1.contains(self) || (contents.starts(with: pkcs12) && contents.count == pkcs12.count + 1)
  }
}
