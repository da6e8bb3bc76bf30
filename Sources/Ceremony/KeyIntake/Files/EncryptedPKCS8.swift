import Crypto
import Format
import Host

/// PKCS #8 encrypted under a passphrase (RFC 5958 §3), only with PBES2.
enum EncryptedPKCS8 {
  static func open(_ der: Span<UInt8>, _ passphrase: Span<UInt8>?) throws(KeyFileError)
    -> PrivateKey
  {
    let fields = try decoding(Fields(der))
    guard fields.scheme == .pbes2 else {
      throw fields.scheme.isOldEncryption ? .weakEncryption : .unsupportedEncryption
    }
    let pbes2 = try PBES2(fields.parameters.span)
    guard let passphrase else { throw .passphraseNeeded }
    let plain = try pbes2.decrypt(fields.ciphertext.span, passphrase: passphrase)
    guard isWholeSequence(plain.bytes) else { throw .wrongPassphrase }
    return try reading(PrivateKey(pkcs8DER: plain.bytes))
  }

  /// SEQUENCE { SEQUENCE { scheme, parameters }, OCTET STRING }; nothing in it is secret.
  private struct Fields {
    let scheme: OID
    let parameters, ciphertext: [UInt8]

    init(_ der: Span<UInt8>) throws(CryptoError) {
      var fields = try DERReader(sequence: der)
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
  fileprivate static let pbes2 = OID("1.2.840.113549.1.5.13")

  /// PBES1 and the schemes of PKCS #12: RC4, RC2, DES, and 3DES with a key derived by SHA-1.
  fileprivate var isOldEncryption: Bool {
    let pkcs12 = OID("1.2.840.113549.1.12.1").contents
    let pbes1: [OID] = [1, 3, 4, 6, 10, 11].map { OID("1.2.840.113549.1.5.\($0)") }
    return pbes1.contains(self)
      || (contents.starts(with: pkcs12) && contents.count == pkcs12.count + 1)
  }
}

/// Encryption under a passphrase with PBKDF2 and a block cipher in CBC mode (RFC 8018 §6.2).
struct PBES2 {
  let salt: [UInt8]
  let iterations: Int
  let prf: PBKDF2.PRF
  let cipher: Cipher
  let iv: [UInt8]

  enum Cipher {
    case aes128, aes192, aes256, tripleDES

    var keySize: Int {
      switch self {
      case .aes128: 16
      case .aes192, .tripleDES: 24
      case .aes256: 32
      }
    }

    var blockSize: Int {
      switch self {
      case .aes128, .aes192, .aes256: 16
      case .tripleDES: 8
      }
    }
  }

  /// The plaintext without its padding.
  ///
  /// - Throws: `wrongPassphrase` if the padding is wrong; one in 256 wrong passphrases yields valid
  ///   padding.
  func decrypt(_ ciphertext: Span<UInt8>, passphrase: Span<UInt8>) throws(KeyFileError)
    -> SecretBuffer
  {
    guard ciphertext.count > 0, ciphertext.count.isMultiple(of: cipher.blockSize) else {
      throw .malformed
    }
    do throws(CryptoError) {
      let key = try PBKDF2.derive(
        passphrase: passphrase, salt: salt.span, iterations: iterations, prf: prf,
        count: cipher.keySize)
      let padded =
        switch cipher {
        case .aes128, .aes192, .aes256:
          try BlockCipher.aes.decrypt(key: key.bytes, iv: iv.span, ciphertext: ciphertext)
        case .tripleDES:
          try BlockCipher.tripleDES.decrypt(key: key.bytes, iv: iv.span, ciphertext: ciphertext)
        }
      guard let size = unpaddedCount(padded.bytes) else { throw .authenticationFailed }
      return try SecretBuffer.make(copying: padded.bytes.extracting(0..<size))
    } catch { throw KeyFileError(encoding: error) }
  }

  private func unpaddedCount(_ bytes: Span<UInt8>) -> Int? {
    let pad = Int(bytes[bytes.count - 1])
    guard (1...cipher.blockSize).contains(pad) else { return nil }
    for i in bytes.count - pad..<bytes.count where Int(bytes[i]) != pad { return nil }
    return bytes.count - pad
  }
}

extension PBES2 {
  /// Parses PBES2-params.
  ///
  /// - Throws: `weakEncryption` for DES and RC2, `unsupportedEncryption` for other algorithms or
  ///   for more iterations than anybody uses, `malformed`.
  init(_ parameters: Span<UInt8>) throws(KeyFileError) {
    let raw = try decoding(Raw(parameters))
    guard raw.kdf == .pbkdf2 else { throw .unsupportedEncryption }
    let derivation = try decoding(Derivation(raw.kdfParameters.span))
    guard (1...Self.maximumIterations).contains(derivation.iterations) else {
      throw derivation.iterations == 0 ? .malformed : .unsupportedEncryption
    }
    guard let prf = PBKDF2.PRF(derivation.prf) else { throw .unsupportedEncryption }
    guard let cipher = Cipher(raw.cipher) else {
      throw OID.weakCiphers.contains(raw.cipher) ? .weakEncryption : .unsupportedEncryption
    }
    guard let iv = raw.iv, iv.count == cipher.blockSize,
      derivation.keySize ?? cipher.keySize == cipher.keySize
    else { throw .malformed }
    self.init(
      salt: derivation.salt, iterations: derivation.iterations, prf: prf, cipher: cipher, iv: iv)
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
  fileprivate static let pbkdf2 = OID("1.2.840.113549.1.5.12")
  fileprivate static let hmacWithSHA1 = OID("1.2.840.113549.2.7")
  fileprivate static let hmacWithSHA224 = OID("1.2.840.113549.2.8")
  fileprivate static let hmacWithSHA256 = OID("1.2.840.113549.2.9")
  fileprivate static let hmacWithSHA384 = OID("1.2.840.113549.2.10")
  fileprivate static let hmacWithSHA512 = OID("1.2.840.113549.2.11")
  fileprivate static let aes128CBC = OID("2.16.840.1.101.3.4.1.2")
  fileprivate static let aes192CBC = OID("2.16.840.1.101.3.4.1.22")
  fileprivate static let aes256CBC = OID("2.16.840.1.101.3.4.1.42")
  fileprivate static let tripleDESCBC = OID("1.2.840.113549.3.7")
  /// DES-CBC and RC2-CBC.
  fileprivate static let weakCiphers = [OID("1.3.14.3.2.7"), OID("1.2.840.113549.3.2")]
}
