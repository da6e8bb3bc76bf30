package import Format

/// What a signer signed about the content (RFC 5652 §5.3, §11); three attributes matter here.
///
/// Tokens from about 2017 on also carry cmsAlgorithmProtection; attributes not named here are
/// ignored.
package struct SignedAttributes: ~Escapable {
  /// 32 bytes.
  let messageDigest: Span<UInt8>
  package let signingTime: Timestamp
  /// The bytes that were signed: the attributes re-tagged as SET OF (RFC 5652 §5.4).
  let signedMessage: [UInt8]

  /// - Parameter encoded: the attributes in DER with their [0] tag, or nothing if the signer had
  ///   none.
  /// - Throws: `.signedAttributes` unless contentType is id-data, and messageDigest and signingTime
  ///   are present once each.
  @_lifetime(copy encoded)
  package init(_ encoded: Span<UInt8>) throws(TokenError) {
    do throws(BERError) {
      try self.init(reading: encoded)
    } catch {
      throw .rejected(.signedAttributes)
    }
  }

  @_lifetime(copy encoded)
  private init(reading encoded: Span<UInt8>) throws(BERError) {
    var whole = BERReader(encoded)
    let set = try whole.next(0xA0)
    try whole.finish()
    // The signature is over DER; its header differs from this one only in the tag.
    guard set.lengthForm == .minimal else { throw .badLength }
    signedMessage = [0x31] + (1..<encoded.count).map { encoded[$0] }

    let attributes = try set.children
    let contentType = try Self.value(of: DER.contentType, in: attributes)
    guard DER.isEqual(contentType.encoded, DER.data) else { throw .unexpected }
    let digest = try Self.value(of: DER.messageDigest, in: attributes)
    guard digest.tag == 0x04, digest.content.count == 32 else { throw .unexpected }
    messageDigest = digest.content
    let time = try Self.value(of: DER.signingTime, in: attributes)
    guard let moment = Timestamp(time) else { throw .unexpected }
    signingTime = moment
  }

  /// The one value of the one attribute of this type.
  @_lifetime(copy attributes)
  private static func value(of type: [UInt8], in attributes: BERReader) throws(BERError)
    -> BERElement
  {
    var attributes = attributes
    var found: BERElement?
    while !attributes.isAtEnd {
      var attribute = try attributes.next(0x30).children
      let isWanted = DER.isEqual(try attribute.next(0x06).encoded, type)
      var values = try attribute.next(0x31).children
      try attribute.finish()
      guard isWanted else { continue }
      guard found == nil else { throw .unexpected }
      found = try values.next()
      try values.finish()
    }
    guard let found else { throw .unexpected }
    return found
  }
}

extension Timestamp {
  /// UTCTime or GeneralizedTime in DER's form: whole seconds and Z (RFC 5652 §11.3).
  fileprivate init?(_ element: borrowing BERElement) {
    let text = element.content
    let yearDigits: Int
    switch element.tag {
    case 0x17: yearDigits = 2
    case 0x18: yearDigits = 4
    default: return nil
    }
    guard text.count == yearDigits + 11, text[text.count - 1] == UInt8(ascii: "Z") else {
      return nil
    }
    var numbers: [Int] = []
    for start in stride(from: text.count - 3, through: 0, by: -2) {
      guard let number = UInt64(digits: text.extracting(start..<start + 2)) else { return nil }
      numbers.append(Int(number))
    }
    // GeneralizedTime states the century; in UTCTime the year is in 1950...2049 (RFC 5280
    // §4.1.2.5.1).
    let century = yearDigits == 4 ? numbers[6] : numbers[5] < 50 ? 20 : 19
    self.init(
      year: century * 100 + numbers[5], month: numbers[4], day: numbers[3], hour: numbers[2],
      minute: numbers[1], second: numbers[0])
  }
}
