import Format
import Testing
@testable import ApplePay

@Suite("CMS SignedData")
struct SignedDataTests {
  @Test("is read into the slices it has")
  func slices() throws {
    let token = try TokenCase.fixture("rsa")
    let signed = try SignedData(token.fields.signature.span)
    #expect(signed.signature.count == 256)
    var certificates = signed.certificates
    var sizes = 0
    while !certificates.isAtEnd { sizes += try certificates.next(0x30).encoded.count }
    #expect(sizes == signed.certificateBytes.count)
    let attributes = try SignedAttributes(signed.signedAttributes)
    #expect(attributes.signingTime == token.clock)
    #expect(attributes.messageDigest.count == 32)
    #expect(attributes.signedMessage.count == signed.signedAttributes.count)
    #expect(attributes.signedMessage.first == 0x31)
  }

  @Test(
    "is read in indefinite lengths too, where no signature depends on them", arguments: [1, 2, 3])
  func indefiniteLengths(_ levels: Int) throws {
    let token = try TokenCase.fixture("ec")
    let rewritten = try indefinite(token.fields.signature, levels: levels)
    #expect(rewritten != token.fields.signature)
    var fields = token.fields
    fields.signature = rewritten
    #expect(try fields.verify(token.verifier(), now: token.clock) == token.clock)
  }

  @Test(
    "is refused with anything behind it",
    arguments: [[0x00], [0x00, 0x00], [0x05, 0x00]] as [[UInt8]])
  func leftover(_ tail: [UInt8]) throws {
    let bytes = try TokenCase.fixture("ec").fields.signature + tail
    #expect(throws: TokenError.rejected(.cms)) { try read(bytes) }
  }

  @Test("is refused where any length lies")
  func lyingLengths() throws {
    let token = try TokenCase.fixture("ec")
    let bytes = token.fields.signature
    let verifier = try token.verifier()
    let lies: [[UInt8]] = [
      [0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x84, 0x7F, 0xFF, 0xFF, 0xFF], [0x82, 0xFF, 0xFF], [0x7F],
    ]
    var reader = BERReader(bytes.span)
    var offsets: [Int] = []
    try headers(of: &reader, at: 0, into: &offsets)
    #expect(offsets.count > 20)
    for offset in offsets {
      for lie in lies {
        var lying = token.fields
        lying.signature.replaceSubrange(offset + 1...offset + 1, with: lie)
        #expect(throws: TokenError.self) { try lying.verify(verifier, now: token.clock) }
      }
    }
  }

  @Test(
    "is refused deep, wide and empty",
    arguments: [
      [], [0x30], [0x30, 0x80], [UInt8](repeating: 0x30, count: 16_000),
      [UInt8](repeating: 0x80, count: 16_000),
      (0..<16_000).map { $0.isMultiple(of: 2) ? 0x30 : 0x80 },
      [0x30, 0x82, 0x3E, 0x7C] + [UInt8](repeating: 0, count: 15_996),
      [0x30, 0x82, 0x3E, 0x7C] + (0..<15_996).map { $0.isMultiple(of: 2) ? 0x05 : 0x00 },
    ] as [[UInt8]])
  func hostile(_ bytes: [UInt8]) { #expect(throws: TokenError.rejected(.cms)) { try read(bytes) } }

  @Test(
    "says when UTCTime was",
    arguments: [
      ("500101000000Z", nil), ("700101000000Z", 0), ("491231235959Z", 2_524_607_999),
      ("261120093000Z", 1_795_167_000),
    ])
  func utcTime(_ text: String, _ seconds: Int64?) throws {
    let value = [0x17, UInt8(text.utf8.count)] + Array(text.utf8)
    let attributes = attributes(time: value)
    guard let seconds else {
      #expect(throws: TokenError.rejected(.signedAttributes)) {
        _ = try SignedAttributes(attributes.span).signingTime
      }
      return
    }
    #expect(try SignedAttributes(attributes.span).signingTime == Timestamp(seconds: seconds))
  }

  @Test(
    "does not read times of other forms",
    arguments: [
      "261120093000", "2611200930Z", "26112009300Z", "261120093000.5Z", "261120093000z",
      "26112009300aZ", "20261120093000Z", "261120093000+0000", "", "Z",
    ])
  func otherTimes(_ text: String) {
    let attributes = attributes(time: [0x17, UInt8(text.utf8.count)] + Array(text.utf8))
    #expect(throws: TokenError.rejected(.signedAttributes)) {
      _ = try SignedAttributes(attributes.span).signingTime
    }
  }

  @Test("does not take signed attributes in BER")
  func attributesInBER() throws {
    let attributes = attributes(time: [0x17, 13] + Array("261120093000Z".utf8))
    #expect(try SignedAttributes(attributes.span).signingTime == Timestamp(seconds: 1_795_167_000))
    let padded = [0xA0, 0x81, attributes[1]] + attributes[2...]
    let indefinite = [0xA0, 0x80] + attributes[2...] + [0, 0]
    for other in [padded, indefinite, attributes + [0x05, 0x00], [0x31] + attributes[1...], []] {
      #expect(throws: TokenError.rejected(.signedAttributes)) {
        _ = try SignedAttributes(other.span).signingTime
      }
    }
  }
}

private func read(_ bytes: [UInt8]) throws(TokenError) {
  _ = try SignedData(bytes.span).signature.count
}

/// contentType, messageDigest and this signing time.
private func attributes(time: [UInt8]) -> [UInt8] {
  func attribute(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
    let set = [0x31, UInt8(value.count)] + value
    return [0x30, UInt8(type.count + set.count)] + type + set
  }
  let all =
    attribute(DER.contentType, DER.data) + attribute(DER.signingTime, time)
    + attribute(DER.messageDigest, [0x04, 32] + [UInt8](repeating: 7, count: 32))
  return [0xA0, UInt8(all.count)] + all
}

/// The same SignedData with its outermost constructed elements in indefinite lengths.
private func indefinite(_ bytes: [UInt8], levels: Int) throws -> [UInt8] {
  guard levels > 0, bytes[0] & 0x20 != 0 else { return bytes }
  var whole = BERReader(bytes.span)
  var children = try whole.next().children
  var inner: [UInt8] = []
  while !children.isAtEnd {
    let child = try children.next().encoded
    inner += try indefinite(child.indices.map { child[$0] }, levels: levels - 1)
  }
  return [bytes[0], 0x80] + inner + [0, 0]
}

/// Where the headers stand down to the fields of SignerInfo.
private func headers(
  of reader: inout BERReader, at start: Int, depth: Int = 0, into offsets: inout [Int]
) throws {
  var offset = start
  while !reader.isAtEnd {
    let element = try reader.next()
    offsets.append(offset)
    if element.tag & 0x20 != 0, depth < 5 {
      var children = try element.children
      try headers(
        of: &children, at: offset + element.encoded.count - element.content.count, depth: depth + 1,
        into: &offsets)
    }
    offset += element.encoded.count
  }
}
