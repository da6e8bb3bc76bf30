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
    var signature = try leaf.key.sign(DER.element(DER.set, attributes).span)
    if isDamaged { signature[signature.count - 1] ^= 1 }
    let signer = DER.element(
      DER.sequence, DER.small(1),
      DER.element(DER.sequence, leaf.certificate.issuerDER, leaf.certificate.serialDER), sha256,
      DER.element(DER.context(0), attributes), signatureAlgorithm(leaf.key.kind),
      DER.octets(signature))
    let signedData = DER.element(
      DER.sequence, DER.small(1), DER.element(DER.set, sha256),
      DER.element(DER.sequence, DER.oid(data)),
      DER.element(DER.context(0), leaf.certificate.der, intermediate.der),
      DER.element(DER.set, signer))
    return DER.element(DER.sequence, DER.oid(signed), DER.element(DER.context(0), signedData))
  }

  private static func attributes(digest: Digest256, _ moment: Timestamp) -> [UInt8] {
    let all = [
      attribute(contentType, DER.oid(data)), attribute(signingTime, time(moment)),
      attribute(messageDigest, DER.octets(digest.bytes)),
    ]
    // A SET OF is in ascending order (X.690 §11.6).
    return all.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
  }

  private static func attribute(_ type: OID, _ value: [UInt8]) -> [UInt8] {
    DER.element(DER.sequence, DER.oid(type), DER.element(DER.set, value))
  }

  /// UTCTime for the years that it can express, GeneralizedTime for the others (§11.3).
  private static func time(_ moment: Timestamp) -> [UInt8] {
    let digits = moment.wholeSeconds.utf8.filter(\.isDigit)
    let isUTCTime = moment.wholeSeconds < "2050"
    return DER.element(
      isUTCTime ? 0x17 : 0x18, isUTCTime ? Array(digits.dropFirst(2)) : digits, [UInt8(ascii: "Z")])
  }

  private static func signatureAlgorithm(_ kind: KeyKind) -> [UInt8] {
    switch kind {
    case .rsa: DER.element(DER.sequence, DER.oid(OID("1.2.840.113549.1.1.11")), DER.null)
    case .p256, .p384, .ed25519: DER.element(DER.sequence, DER.oid(OID("1.2.840.10045.4.3.2")))
    }
  }

  private static let sha256 = DER.element(
    DER.sequence, DER.oid(OID("2.16.840.1.101.3.4.2.1")))
  private static let data = OID("1.2.840.113549.1.7.1")
  private static let signed = OID("1.2.840.113549.1.7.2")
  private static let contentType = OID("1.2.840.113549.1.9.3")
  private static let messageDigest = OID("1.2.840.113549.1.9.4")
  private static let signingTime = OID("1.2.840.113549.1.9.5")
}

/// Writes DER (X.690) of public values.
enum DER {
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31
  static let null: [UInt8] = [0x05, 0x00]

  /// A constructed, context-specific tag.
  static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }

  /// An element of fewer than 64 KiB, its contents in parts.
  static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let contents = parts.flatMap(\.self)
    precondition(contents.count < 1 << 16)
    let length: [UInt8] =
      switch contents.count {
      case 0..<0x80: [UInt8(contents.count)]
      case 0x80..<0x100: [0x81, UInt8(contents.count)]
      default: [0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
      }
    return [tag] + length + contents
  }

  static func small(_ number: UInt8) -> [UInt8] { element(0x02, [number & 0x7F]) }
  static func oid(_ oid: OID) -> [UInt8] { element(0x06, oid.contents) }
  static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }
}
