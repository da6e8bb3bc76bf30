import Format
import Foundation
import KistClient
import Testing

@Suite("Apple Pay token JSON")
struct ApplePayTokenJSONTests {
  private static let token = #"""
    {"version":"EC_v1","data":"AAEC\/w==","signature":"MIA=",
     "header":{"ephemeralPublicKey":"MFk=","publicKeyHash":"q80=","transactionId":"00ff","unknown":1},"more":[true]}
    """#

  private static let base64 = Data(token.utf8).base64EncodedString()
  private static let pretty = Data(base64.utf8).base64EncodedString()

  @Test(
    "finds the token in every wrapping met in practice",
    arguments: [
      token, "\n" + token + " ", base64, base64 + "\n", "\"\(base64)\"",
      "{\"paymentData\":\(token)}", "{\"paymentData\":\"\(base64)\"}",
      "{\"token\":{\"paymentMethod\":{\"network\":\"Visa\"},\"paymentData\":\(token)},\"billingContact\":{}}",
      pretty,
      "{\"requestId\":\"1\",\"methodName\":\"https://apple.com/apple-pay\",\"details\":{\"token\":{\"paymentData\":\(token)}}}",
      "{\"payment\":{\"token\":{\"paymentData\":\"\(base64)\",\"transactionIdentifier\":\"00ff\"},\"shippingContact\":null}}",
      "{\"paymentData\":\"\(base64.replacingOccurrences(of: "/", with: "\\/"))\",\"transactionIdentifier\":\"00FF\"}",
    ])
  func wrappings(_ text: String) throws {
    let parsed = try parse(text)
    #expect(parsed.version == .ecV1)
    #expect(parsed.keySource == .ephemeralPublicKey([0x30, 0x59]))
    #expect(parsed.data == [0, 1, 2, 255])
    #expect(parsed.signature == [0x30, 0x80])
    #expect(parsed.publicKeyHash == [0xAB, 0xCD])
    #expect(parsed.transactionID == [0x00, 0xFF])
    #expect(parsed.applicationData.isEmpty)
  }

  @Test("reads a wrapped key and application data")
  func rsa() throws {
    let text = Self.token.replacingOccurrences(of: "EC_v1", with: "RSA_v1").replacingOccurrences(
      of: "ephemeralPublicKey", with: "wrappedKey"
    )
    .replacingOccurrences(of: "\"unknown\":1", with: "\"applicationData\":\"AB01\"")
    let parsed = try parse(text)
    #expect(parsed.version == .rsaV1)
    #expect(parsed.keySource == .wrappedKey([0x30, 0x59]))
    #expect(parsed.applicationData == [0xAB, 0x01])
  }

  @Test("takes null application data for none")
  func nullApplicationData() throws {
    #expect(
      try parse(
        Self.token.replacingOccurrences(of: "\"unknown\":1", with: "\"applicationData\":null")
      ).applicationData.isEmpty)
  }

  @Test(
    "knows a simulator's token",
    arguments: [
      "", "  \n", "{}", "{\"paymentData\":{}}", "{\"paymentData\":\"\"}", "{\"paymentData\":null}",
      "{\"token\":{\"paymentData\":{}}}",
      #"{"version":"EC_v1","data":"","signature":"","header":{}}"#,
    ])
  func simulator(_ text: String) { expect(.simulator, text) }

  @Test("refuses versions it does not know", arguments: ["EC_v2", "RSA_v2", "ec_v1", "EC_v1 ", ""])
  func version(_ name: String) {
    expect(.unknownVersion, Self.token.replacingOccurrences(of: "EC_v1", with: name))
  }

  @Test(
    "refuses what is not a token",
    arguments: [
      "{\"paymentData\":[]}", "{\"paymentData\":true}",
      String(repeating: "{\"token\":", count: 8) + token + String(repeating: "}", count: 8),
    ])
  func notToken(_ text: String) { expect(.notToken, text) }

  @Test("refuses text that is neither JSON's object nor base64", arguments: ["[]", "1"])
  func neither(_ text: String) { expect(.notJSON, text) }

  @Test(
    "names the member that is missing",
    arguments: [
      ("{\"a\":1}", .version),
      (token.replacingOccurrences(of: "\"data\"", with: "\"Data\""), .data),
      (token.replacingOccurrences(of: "\"header\"", with: "\"head\""), .header),
      (
        token.replacingOccurrences(of: "ephemeralPublicKey", with: "wrappedKey"),
        .ephemeralPublicKey
      ),
      (token.replacingOccurrences(of: "EC_v1", with: "RSA_v1"), .wrappedKey),
    ] as [(String, ApplePayTokenMember)])
  func missing(_ text: String, _ member: ApplePayTokenMember) { expect(.missing(member), text) }

  @Test(
    "names the member that is malformed",
    arguments: [
      ("{\"version\":1}", .version),
      (token.replacingOccurrences(of: "00ff", with: "0ff"), .transactionID),
      (token.replacingOccurrences(of: "00ff", with: "zz"), .transactionID),
      (token.replacingOccurrences(of: "\"q80=\"", with: "\"q80\""), .publicKeyHash),
      (token.replacingOccurrences(of: "\"q80=\"", with: "\"q81=\""), .publicKeyHash),
      (token.replacingOccurrences(of: "\"q80=\"", with: "\"q-0=\""), .publicKeyHash),
      (token.replacingOccurrences(of: "\"q80=\"", with: "7"), .publicKeyHash),
    ] as [(String, ApplePayTokenMember)])
  func malformed(_ text: String, _ member: ApplePayTokenMember) { expect(.malformed(member), text) }

  @Test("refuses what is not JSON", arguments: ["{", "not base64!", "e30", token + "x"])
  func notJSON(_ text: String) { expect(.notJSON, text) }

  @Test("says so of duplicates, other encodings, and texts beyond all tokens")
  func texts() throws {
    expect(.duplicate, Self.token.replacingOccurrences(of: "\"more\"", with: "\"data\""))
    expect(.byteOrderMark, "\u{FEFF}" + Self.token)
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian] {
      let bytes = Array(try #require(Self.token.data(using: encoding)))
      #expect(throws: ApplePayTokenJSONError.utf16) { try ApplePayTokenJSON(bytes.span) }
    }
    expect(.limits, String(repeating: "A", count: (512 << 10) + 4))
    expect(
      .limits,
      "{\"a\":" + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}")
    expect(.limits, "{\"a\":[" + String(repeating: "1,", count: 2000) + "1]}")
  }

  @Test("tells an empty member from a simulator's token")
  func emptyMembers() {
    expect(.empty(.signature), Self.token.replacingOccurrences(of: "MIA=", with: ""))
    expect(.empty(.data), Self.token.replacingOccurrences(of: "AAEC\\/w==", with: ""))
    expect(
      .missing(.publicKeyHash), #"{"version":"EC_v1","data":"AA==","signature":"AA==","header":{}}"#
    )
  }

  @Test("names every flaw")
  func allFlaws() {
    let broken =
      #"{"version":"EC_v1","data":"*","signature":1,"header":{"publicKeyHash":"q81=","transactionId":"0"}}"#
    let flaws: [ApplePayTokenJSONError] = [
      .malformed(.data), .malformed(.signature), .malformed(.publicKeyHash),
      .malformed(.transactionID), .missing(.ephemeralPublicKey),
    ]
    #expect { try ApplePayTokenJSON(examining: Array(broken.utf8).span) } throws: {
      ($0 as? ApplePayTokenFlaws)?.all == flaws
    }
  }

  @Test("unpacks nothing from a truncated token")
  func truncation() {
    let bytes = Array(Self.token.utf8)
    for end in 1..<bytes.count {
      #expect(throws: ApplePayTokenJSONError.self) {
        try ApplePayTokenJSON(Array(bytes[..<end]).span)
      }
    }
  }

  private func expect(_ error: ApplePayTokenJSONError, _ text: String) {
    #expect(throws: error) { try parse(text) }
  }
}

private func parse(_ text: String) throws(ApplePayTokenJSONError) -> ApplePayTokenJSON {
  try ApplePayTokenJSON(Array(text.utf8).span)
}
