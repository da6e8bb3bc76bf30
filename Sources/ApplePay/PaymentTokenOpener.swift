package import Crypto
import Format
package import Host

/// Opens one verified token with the key it was made for.
///
/// It has two steps, so that the replay guard can come between them: making an opener proves that
/// the key is the right one, and `open` uses the opener up. To the caller every failure of `open`
/// looks the same; the case names the stage for the log.
package struct PaymentTokenOpener: ~Copyable, ~Escapable {
  private let token: PaymentToken
  private let key: PrivateKey
  private let merchantIdentifierHash: Digest256

  /// - Parameter merchantIdentifierHash: SHA-256 of the merchant identifier as text; RSA_v1 does
  ///   not use it.
  /// - Throws: `.publicKeyHash` unless the token names this key.
  @_lifetime(copy token)
  package init(_ token: consuming VerifiedToken, key: PrivateKey, merchantIdentifierHash: Digest256)
    throws(TokenError)
  {
    let fields = token.token
    guard Digest256(fields.publicKeyHash) == SHA256.hash(key.spki) else {
      throw .rejected(.publicKeyHash)
    }
    self.token = fields
    self.key = key
    self.merchantIdentifierHash = merchantIdentifierHash
  }

  /// Decrypts the payment data.
  ///
  /// - Throws: `.keyAgreement` for an ephemeral or wrapped key that gives no content key, `.tag`
  ///   for a wrong tag.
  package consuming func open() throws(TokenError) -> SecretBuffer {
    switch token.version {
    case .ecV1: try openEC()
    case .rsaV1: try openRSA()
    }
  }

  private func openEC() throws(TokenError) -> SecretBuffer {
    let contentKey = try TokenError.at(.keyAgreement) { () throws(CryptoError) in
      guard key.kind == .p256 else { throw .invalidPoint }
      let z = try key.agree(withSPKI: token.keySource)
      return try OneStepKDF.sha256(z: z.bytes, otherInfo: otherInfo.span)
    }
    return try decrypt(with: contentKey.bytes)
  }

  /// Apple signed the wrapped key, so nobody can probe the padding with ciphertexts of their own.
  /// Even so, a key that does not unwrap takes the same path as one that does, down to a wrong tag,
  /// so that timing tells little.
  private func openRSA() throws(TokenError) -> SecretBuffer {
    let substitute = try TokenError.at(.keyAgreement) { () throws(CryptoError) in
      try Random.secret(count: Self.wrappedKeySize)
    }
    let contentKey: SecretBuffer
    do throws(TokenError) {
      contentKey = try unwrap()
    } catch {
      _ = try? decrypt(with: substitute.bytes)
      throw error
    }
    return try decrypt(with: contentKey.bytes)
  }

  private func unwrap() throws(TokenError) -> SecretBuffer {
    try TokenError.at(.keyAgreement) { () throws(CryptoError) in
      let contentKey = try key.decryptOAEP(token.keySource)
      guard contentKey.count == Self.wrappedKeySize else { throw .authenticationFailed }
      return contentKey
    }
  }

  /// AES-GCM, 256 bits for EC_v1 and 128 for RSA_v1, with an IV of 16 zero bytes and no additional
  /// data.
  private func decrypt(with contentKey: Span<UInt8>) throws(TokenError) -> SecretBuffer {
    let iv = [UInt8](repeating: 0, count: 16)
    let tagStart = token.data.count - AESGCM.tagSize
    return try TokenError.at(.tag) { () throws(CryptoError) in
      try AESGCM.open(
        key: contentKey, iv: iv.span, ciphertext: token.data.extracting(first: tagStart),
        tag: token.data.extracting(droppingFirst: tagStart))
    }
  }

  /// SP 800-56A r1 §5.8.1.2: AlgorithmID with its length byte, PartyUInfo and PartyVInfo without.
  private var otherInfo: [UInt8] {
    [13] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8) + merchantIdentifierHash.bytes
  }

  private static let wrappedKeySize = 16
}
