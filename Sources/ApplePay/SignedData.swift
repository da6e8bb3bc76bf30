import Crypto
package import Format
import Host

/// Apple's detached CMS SignedData (RFC 5652 §5.1) in slices; only its structure is checked,
/// nothing is verified.
///
/// Apple sends BER with indefinite lengths. What the signature does not cover is accepted in one
/// form only, so that no byte of it can be changed: one signer named by issuer and serial number,
/// no content, no revocation lists, no unsigned attributes.
package struct SignedData: ~Escapable {
  static let certificateCounts = 2...3

  /// The certificates, one after the other.
  package let certificates: BERReader
  /// All bytes of the certificates.
  let certificateBytes: Span<UInt8>
  /// The signer's issuer, a Name in DER.
  let issuer: Span<UInt8>
  /// The signer's serial number, an INTEGER in DER.
  let serial: Span<UInt8>
  /// The digest that SignedData announces, an AlgorithmIdentifier.
  let announcedDigestAlgorithm: Span<UInt8>
  /// The signer's, an AlgorithmIdentifier.
  let digestAlgorithm: Span<UInt8>
  /// With its [0] tag; empty if the signer has none.
  package let signedAttributes: Span<UInt8>
  /// An AlgorithmIdentifier.
  let signatureAlgorithm: Span<UInt8>
  let signature: Span<UInt8>

  /// - Throws: `.cms`.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) throws(TokenError) {
    do throws(BERError) {
      try self.init(reading: bytes)
    } catch {
      throw .rejected(.cms)
    }
  }

  @_lifetime(copy bytes)
  private init(reading bytes: Span<UInt8>) throws(BERError) {
    var fields = try Self.signedData(in: bytes)
    try fields.next(encodedAs: DER.one)
    var digestAlgorithms = try fields.next(0x31).children
    announcedDigestAlgorithm = try digestAlgorithms.next(0x30).encoded
    try digestAlgorithms.finish()
    var content = try fields.next(0x30).children
    try content.next(encodedAs: DER.data)
    try content.finish()  // eContent would stand here
    let certificateSet = try fields.next(0xA0)
    certificates = try Self.checked(certificateSet.children)
    certificateBytes = certificateSet.content
    var signers = try fields.next(0x31).children
    try fields.finish()

    var signer = try signers.next(0x30).children
    try signers.finish()
    try signer.next(encodedAs: DER.one)
    var identifier = try signer.next(0x30).children
    issuer = try identifier.next(0x30).encoded
    serial = try identifier.next(0x02).encoded
    try identifier.finish()
    digestAlgorithm = try signer.next(0x30).encoded
    signedAttributes =
      signer.nextTag == 0xA0 ? try signer.next().encoded : bytes.extracting(first: 0)
    signatureAlgorithm = try signer.next(0x30).encoded
    signature = try signer.next(0x04).content
    try signer.finish()
  }

  /// The fields inside ContentInfo and its [0].
  @_lifetime(copy bytes)
  private static func signedData(in bytes: Span<UInt8>) throws(BERError) -> BERReader {
    var whole = BERReader(bytes)
    var contentInfo = try whole.next(0x30).children
    try whole.finish()
    try contentInfo.next(encodedAs: DER.signedData)
    var content = try contentInfo.next(0xA0).children
    try contentInfo.finish()
    let fields = try content.next(0x30).children
    try content.finish()
    return fields
  }

  /// At most as many certificates as we accept, each in DER as far as its outermost header shows.
  @_lifetime(copy certificates)
  private static func checked(_ certificates: BERReader) throws(BERError) -> BERReader {
    var reader = certificates
    var count = 0
    while !reader.isAtEnd {
      guard try reader.next(0x30).lengthForm == .minimal else { throw .badLength }
      count += 1
    }
    guard certificateCounts.contains(count) else { throw .unexpected }
    return certificates
  }
}

extension BERReader {
  /// Reads an element that must consist of exactly these bytes.
  @_lifetime(self: copy self)
  fileprivate mutating func next(encodedAs expected: [UInt8]) throws(BERError) {
    guard DER.isEqual(try next().encoded, expected) else { throw .unexpected }
  }
}

/// The algorithms that a token's version prescribes; the signer cannot choose.
enum TokenAlgorithms {
  /// SHA-256 with the absent parameters of newer tokens, and with the NULL of older ones (RFC 5754
  /// §2).
  private static let sha256 = [[0x30, 0x0B] + sha256OID, [0x30, 0x0D] + sha256OID + DER.null]
  private static let sha256OID = DER.oid("2.16.840.1.101.3.4.2.1")
  /// ecdsa-with-SHA256, parameters absent (RFC 5754 §3.3).
  private static let ecdsaWithSHA256 = [0x30, 0x0A] + DER.oid("1.2.840.10045.4.3.2")
  /// sha256WithRSAEncryption, parameters NULL (RFC 5754 §3.2).
  private static let rsaWithSHA256 = [0x30, 0x0D] + DER.oid("1.2.840.113549.1.1.11") + DER.null

  /// Whether the signature's algorithms and the leaf's key are those of `version`.
  static func areThose(
    of version: ApplePayTokenVersion, _ signed: borrowing SignedData, leafKey: PublicKey
  ) -> Bool {
    guard isSHA256(signed.announcedDigestAlgorithm), isSHA256(signed.digestAlgorithm) else {
      return false
    }
    switch (version, leafKey.kind) {
    case (.ecV1, .p256): return DER.isEqual(signed.signatureAlgorithm, ecdsaWithSHA256)
    case (.rsaV1, .rsa): return DER.isEqual(signed.signatureAlgorithm, rsaWithSHA256)
    case (.ecV1, .p384), (.ecV1, .rsa), (.ecV1, .ed25519), (.rsaV1, .p256), (.rsaV1, .p384),
      (.rsaV1, .ed25519):
      return false
    }
  }

  private static func isSHA256(_ identifier: Span<UInt8>) -> Bool {
    sha256.contains { DER.isEqual(identifier, $0) }
  }
}

/// Encodings that must match byte for byte.
enum DER {
  static let one: [UInt8] = [0x02, 0x01, 0x01]
  static let null: [UInt8] = [0x05, 0x00]
  static let signedData = oid("1.2.840.113549.1.7.2")
  static let data = oid("1.2.840.113549.1.7.1")
  static let contentType = oid("1.2.840.113549.1.9.3")
  static let messageDigest = oid("1.2.840.113549.1.9.4")
  static let signingTime = oid("1.2.840.113549.1.9.5")

  static func oid(_ dotted: String) -> [UInt8] {
    let contents = OID(dotted).contents
    return [0x06, UInt8(contents.count)] + contents
  }

  static func isEqual(_ bytes: Span<UInt8>, _ expected: [UInt8]) -> Bool {
    ConstantTime.equal(bytes, expected.span)
  }
}
