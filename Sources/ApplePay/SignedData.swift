package import Format

/// Apple's detached CMS SignedData (RFC 5652 §5.1) in slices; only its structure is checked, nothing is verified.
///
/// Apple sends BER with indefinite lengths. What the signature does not cover is accepted in one form only, so that no byte of
/// it can be changed: one signer named by issuer and serial number, no content, no revocation lists, no unsigned attributes.
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
    signedAttributes = signer.nextTag == 0xA0 ? try signer.next().encoded : bytes.extracting(first: 0)
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
