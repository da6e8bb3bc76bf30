import Ceremony
import Crypto
import Format

/// Apple's detached signature on a token: CMS SignedData (RFC 5652 §5.1). It is DER; Apple itself
/// writes BER.
enum TokenSignature {
  /// - Parameters:
  ///   - content: the bytes that Apple signs, which are not part of the signature.
  ///   - isDamaged: whether to change the signature's value, which stays well-formed.
  static func make(
    over content: [UInt8], by leaf: CertifiedKey, under intermediate: Certificate,
    at moment: Timestamp, isDamaged: Bool
  ) throws(CryptoError) -> [UInt8] {
    let attributes = attributes(digest: SHA256.hash(content), moment)
    // Signed as a SET OF, sent under [0] (§5.4).
    var signature = try leaf.key.sign(DERWriter.element(DERWriter.set, attributes).span)
    if isDamaged { signature[signature.count - 1] ^= 1 }
    let signer = DERWriter.element(
      DERWriter.sequence, DERWriter.small(1),
      DERWriter.element(DERWriter.sequence, leaf.certificate.issuerDER, leaf.certificate.serialDER),
      sha256,
      DERWriter.element(DERWriter.context(0), attributes), signatureAlgorithm(leaf.key.kind),
      DERWriter.octets(signature))
    let signedData = DERWriter.element(
      DERWriter.sequence, DERWriter.small(1), DERWriter.element(DERWriter.set, sha256),
      DERWriter.element(DERWriter.sequence, DERWriter.oid(data)),
      DERWriter.element(DERWriter.context(0), leaf.certificate.der, intermediate.der),
      DERWriter.element(DERWriter.set, signer))
    return DERWriter.element(
      DERWriter.sequence, DERWriter.oid(signed), DERWriter.element(DERWriter.context(0), signedData)
    )
  }

  private static func attributes(digest: Digest256, _ moment: Timestamp) -> [UInt8] {
    let all = [
      attribute(contentType, DERWriter.oid(data)), attribute(signingTime, DERWriter.time(moment)),
      attribute(messageDigest, DERWriter.octets(digest.bytes)),
    ]
    // A SET OF is in ascending order (X.690 §11.6).
    return all.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
  }

  private static func attribute(_ type: OID, _ value: [UInt8]) -> [UInt8] {
    DERWriter.element(
      DERWriter.sequence, DERWriter.oid(type), DERWriter.element(DERWriter.set, value))
  }

  private static func signatureAlgorithm(_ kind: KeyKind) -> [UInt8] {
    switch kind {
    case .rsa:
      DERWriter.element(
        DERWriter.sequence, DERWriter.oid(OID("1.2.840.113549.1.1.11")), DERWriter.null)
    case .p256, .p384, .ed25519:
      DERWriter.element(DERWriter.sequence, DERWriter.oid(OID("1.2.840.10045.4.3.2")))
    }
  }

  private static let sha256 = DERWriter.element(
    DERWriter.sequence, DERWriter.oid(OID("2.16.840.1.101.3.4.2.1")))
  private static let data = OID("1.2.840.113549.1.7.1")
  private static let signed = OID("1.2.840.113549.1.7.2")
  private static let contentType = OID("1.2.840.113549.1.9.3")
  private static let messageDigest = OID("1.2.840.113549.1.9.4")
  private static let signingTime = OID("1.2.840.113549.1.9.5")
}
