package import Crypto
package import Format
internal import Host

/// Makes payment tokens as Apple does, under a test PKI.
///
/// It shares no code with the opening of tokens, so that neither hides a mistake of the other.
package struct TokenMint: Sendable {
  private let pki: TestApplePKI

  package init(_ pki: TestApplePKI) { self.pki = pki }

  /// An age in seconds beyond every freshness window; the widest is a day.
  package static let staleAge: Int64 = 2 * 86_400

  /// A fresh token with a transaction identifier of its own.
  ///
  /// - Parameters:
  ///   - merchant: a processing certificate; a P-256 key makes an EC_v1 token, RSA an RSA_v1 token.
  ///   - moment: when Apple signs it.
  /// - Throws: `CryptoError.invalidInput` for a key of another kind; `.invalidCertificate` if the certificate names no merchant.
  package func mint(
    _ payment: TestPayment, for merchant: Certificate, signedAt moment: Timestamp, defect: TokenDefect? = nil
  ) throws(CryptoError) -> MintedToken {
    let recipient = defect == .wrongKey ? try PrivateKey.generate(merchant.publicKey.kind).publicKey : merchant.publicKey
    let content = try ContentKey(for: recipient, merchant: merchant.merchantIdentifierHash())
    let iv = [UInt8](repeating: 0, count: 16)
    var data = try AESGCM.seal(key: content.key.bytes, iv: iv.span, plaintext: payment.plaintext.span)
    if defect == .badTag { data[data.count - 1] ^= 1 }

    let transactionID = try Random.bytes(32)
    let applicationData = payment.applicationData?.bytes ?? []
    let signer = defect == .noLeafMarker ? try pki.unmarkedLeaf(for: content.version) : pki.leaf(for: content.version)
    let signature = try TokenSignature.make(
      over: content.sourceBytes + data + transactionID + applicationData, by: signer, under: pki.intermediate.certificate, at: moment,
      isDamaged: defect == .badSignature)
    return MintedToken(
      keySource: content.source, data: data, signature: signature, publicKeyHash: SHA256.hash(merchant.spki).bytes,
      transactionID: transactionID, applicationData: applicationData)
  }
}
