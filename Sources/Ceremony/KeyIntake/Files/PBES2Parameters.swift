internal import Crypto
internal import Format

extension PBES2 {
  /// Parses PBES2-params.
  ///
  /// - Throws: `weakEncryption` for DES and RC2, `unsupportedEncryption` for other algorithms or for more iterations than
  ///   anybody uses, `malformed`.
  init(_ parameters: Span<UInt8>) throws(KeyFileError) {
    let raw = try decoding { () throws(CryptoError) in try Raw(parameters) }
    guard raw.kdf == .pbkdf2 else { throw .unsupportedEncryption }
    let derivation = try decoding { () throws(CryptoError) in try Derivation(raw.kdfParameters.span) }
    guard (1...Self.maximumIterations).contains(derivation.iterations) else {
      throw derivation.iterations == 0 ? .malformed : .unsupportedEncryption
    }
    guard let prf = PBKDF2.PRF(derivation.prf) else { throw .unsupportedEncryption }
    guard let cipher = Cipher(raw.cipher) else { throw OID.weakCiphers.contains(raw.cipher) ? .weakEncryption : .unsupportedEncryption }
    guard let iv = raw.iv, iv.count == cipher.blockSize, derivation.keySize ?? cipher.keySize == cipher.keySize else { throw .malformed }
    self.init(salt: derivation.salt, iterations: derivation.iterations, prf: prf, cipher: cipher, iv: iv)
  }

  private static let maximumIterations = 10_000_000

  /// SEQUENCE { SEQUENCE { kdf, parameters }, SEQUENCE { cipher, iv } }
  private struct Raw {
    let kdf, cipher: OID
    let kdfParameters: [UInt8]
    /// Nil for ciphers with other parameters than an IV.
    let iv: [UInt8]?

    init(_ parameters: Span<UInt8>) throws(CryptoError) {
      var fields = DERReader(parameters)
      var derivation = try fields.enter()
      var encryption = try fields.enter()
      try fields.finish()
      kdf = OID(contents: try derivation.read(.oid).array)
      kdfParameters = try derivation.read(.sequence).array
      try derivation.finish()
      cipher = OID(contents: try encryption.read(.oid).array)
      guard encryption.nextTag == .octetString else {
        iv = nil
        return
      }
      iv = try encryption.read(.octetString).array
      try encryption.finish()
    }
  }

  /// The fields of PBKDF2-params.
  private struct Derivation {
    let salt: [UInt8]
    let iterations: Int
    let keySize: Int?
    let prf: OID

    init(_ parameters: Span<UInt8>) throws(CryptoError) {
      var fields = DERReader(parameters)
      salt = try fields.read(.octetString).array
      iterations = try fields.readSmall()
      keySize = fields.nextTag == .integer ? try fields.readSmall() : nil
      guard fields.nextTag == .sequence else {
        prf = .hmacWithSHA1
        try fields.finish()
        return
      }
      var function = try fields.enter()
      try fields.finish()
      prf = OID(contents: try function.read(.oid).array)
      if !function.isAtEnd { _ = try function.read(.null) }
      try function.finish()
    }
  }
}

extension PBKDF2.PRF {
  fileprivate init?(_ oid: OID) {
    switch oid {
    case .hmacWithSHA1: self = .sha1
    case .hmacWithSHA224: self = .sha224
    case .hmacWithSHA256: self = .sha256
    case .hmacWithSHA384: self = .sha384
    case .hmacWithSHA512: self = .sha512
    default: return nil
    }
  }
}

extension PBES2.Cipher {
  fileprivate init?(_ oid: OID) {
    switch oid {
    case .aes128CBC: self = .aes128
    case .aes192CBC: self = .aes192
    case .aes256CBC: self = .aes256
    case .tripleDESCBC: self = .tripleDES
    default: return nil
    }
  }
}

extension OID {
  fileprivate static let pbkdf2 = OID(1, 2, 840, 113549, 1, 5, 12)
  fileprivate static let hmacWithSHA1 = OID(1, 2, 840, 113549, 2, 7)
  fileprivate static let hmacWithSHA224 = OID(1, 2, 840, 113549, 2, 8)
  fileprivate static let hmacWithSHA256 = OID(1, 2, 840, 113549, 2, 9)
  fileprivate static let hmacWithSHA384 = OID(1, 2, 840, 113549, 2, 10)
  fileprivate static let hmacWithSHA512 = OID(1, 2, 840, 113549, 2, 11)
  fileprivate static let aes128CBC = OID(2, 16, 840, 1, 101, 3, 4, 1, 2)
  fileprivate static let aes192CBC = OID(2, 16, 840, 1, 101, 3, 4, 1, 22)
  fileprivate static let aes256CBC = OID(2, 16, 840, 1, 101, 3, 4, 1, 42)
  fileprivate static let tripleDESCBC = OID(1, 2, 840, 113549, 3, 7)
  /// DES-CBC and RC2-CBC.
  fileprivate static let weakCiphers = [OID(1, 3, 14, 3, 2, 7), OID(1, 2, 840, 113549, 3, 2)]
}
