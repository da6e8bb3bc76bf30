import Ceremony
import Crypto
import Host

/// A file with one private key, decoded in secret memory.
struct KeyFile {
  let key: PrivateKey
  let certificates: [Certificate]

  /// Asks for the file's passphrase only if the file needs one.
  static func read(_ path: String, _ arguments: Arguments) throws(CommandFailure) -> KeyFile {
    let contents = try Input(path: path).secretContents(limit: PrivateKeyFile.maximumSize)
    let imported = try decode(contents.bytes, path, arguments)
    guard let key = imported.key else {
      throw .failed("\(path): a certificate, and no private key")
    }
    return KeyFile(key: key, certificates: imported.certificates)
  }

  /// The certificates of a file that holds no private key.
  static func certificates(_ path: String) throws(CommandFailure) -> [Certificate] {
    let contents = try Input(path: path).secretContents(limit: PrivateKeyFile.maximumSize)
    do throws(KeyFileError) {
      return try PrivateKeyFile.decode(contents.bytes, passphrase: nil).certificates
    } catch { throw .failed("\(path): \(error.text)") }
  }

  /// Another party's public key, with its certificate if that is what the file has.
  static func publicKey(_ path: String) throws(CommandFailure) -> (
    key: PublicKey, certificate: Certificate?
  ) {
    let contents = try Input(path: path).secretContents(limit: PrivateKeyFile.maximumSize)
    do throws(KeyFileError) { return try PublicKeyFile.decode(contents.bytes) } catch {
      throw .failed("\(path): \(error.text)")
    }
  }

  /// RFC 5915 DER of an EC key, PKCS #1 DER of an RSA key.
  func serialisedKey() throws(CommandFailure) -> SecretBuffer {
    try onCrypto(key.serialised())
  }

  private static func decode(_ file: Span<UInt8>, _ path: String, _ arguments: Arguments)
    throws(CommandFailure) -> ImportedKey
  {
    do throws(KeyFileError) {
      // Without a passphrase, PKCS #12 is tried with an empty one.
      if arguments.value(Option.passphraseDescriptor.name) == nil {
        return try PrivateKeyFile.decode(file, passphrase: nil, oldAlgorithms: .accepted)
      }
    } catch {
      guard error == .passphraseNeeded else { throw .failed("\(path): \(error.text)") }
    }
    let passphrase = try SecretInput.passphrase(arguments, "Passphrase of \(path)")
    do throws(KeyFileError) {
      return try PrivateKeyFile.decode(file, passphrase: passphrase.bytes, oldAlgorithms: .accepted)
    } catch { throw .failed("\(path): \(error.text)") }
  }
}

extension KeyFileError {
  /// What is wrong, and what to do about it.
  var text: String {
    switch self {
    case .tooLarge:
      "more than \(PrivateKeyFile.maximumSize >> 10) KiB, or more certificates than a key file has"
    case .notAKeyFile:
      "neither a key nor a certificate; expected PEM or DER of PKCS#8, SEC1, PKCS#1 or PKCS#12"
    case .malformed: "its encoding is broken"
    case .severalKeys: "more than one key; keep one"
    case .privateKey: "a private key; its owner keeps it, and sends the public key or a certificate"
    case .passphraseNeeded: "it is under a passphrase"
    case .wrongPassphrase: "the passphrase is wrong"
    case .weakEncryption:
      "its encryption protects nothing any more; convert it first: openssl pkcs8 -topk8 -v2 aes-256-cbc"
    case .unsupportedEncryption:
      "it is encrypted in a way that is not known here; convert it first: openssl pkcs8 -topk8 -v2 aes-256-cbc"
    case .legacyEncryption: "its encryption needs OpenSSL's legacy module, which is not installed"
    case .invalidKey:
      "the key is none of P-256, P-384, Ed25519 or RSA with 2048 to 4096 bits, or its parts do not belong together"
    case .invalidCertificate: "a certificate in it is malformed"
    case .exhausted: "no memory for secrets is left"
    case .backend: "OpenSSL failed"
    }
  }
}
