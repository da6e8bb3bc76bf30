import ApplePay
import Format
import Host
import TestSupport
import Testing

@Suite("Payment data")
struct PaymentDataTests {
  static let full = #"""
    { "applicationPrimaryAccountNumber" : "4109370251004320", "applicationExpirationDate":"300731", "currencyCode":"840",
      "transactionAmount": 1499, "deviceManufacturerIdentifier":"040010030273", "paymentDataType":"3DSecure",
      "paymentData":{"onlinePaymentCryptogram":"Af9x\/QwA=","eciIndicator":"5","emvData":"nwI=","encryptedPINData":"0A\u0031","new":{"deep":[1]}},
      "cardholderName":"Zo\u00EB \"Z\" \ud83d\ude00", "authenticationResponses":[{"merchantIdentifier":"m","transactionAmount":"1"}],
      "merchantTokenIdentifier":"tok\/1","merchantTokenMetadata":{"cardArt":[]}, "applePayLater":{"a":null} }
    """#

  @Test(
    "gives each field once decoded",
    arguments: [
      (PaymentField.dpan, "4109370251004320"), (.last4, "4320"), (.bin, "410937"),
      (.network, "visa"), (.expiry, "300731"), (.currency, "840"),
      (.amount, "1499"), (.cryptogram, "Af9x/QwA="), (.eci, "5"), (.paymentDataType, "3DSecure"),
      (.deviceManufacturer, "040010030273"),
      (.emvData, "nwI="), (.encryptedPIN, "0A1"), (.cardholderName, "Zoë \"Z\" 😀"),
      (.authenticationResponses, #"[{"merchantIdentifier":"m","transactionAmount":"1"}]"#),
      (
        .merchantToken,
        #"{"merchantTokenIdentifier":"tok\/1","merchantTokenMetadata":{"cardArt":[]}}"#
      ), (.raw, full),
    ])
  func fields(_ field: PaymentField, _ value: String) throws {
    #expect(try text(field, of: Self.full) == value)
  }

  @Test("has no field that is not there", arguments: PaymentField.allCases)
  func absent(_ field: PaymentField) throws {
    #expect(try text(field, of: "{}") == (field == .raw ? "{}" : nil))
  }

  @Test(
    "gives the half of a merchant token that is there",
    arguments: [
      (#"{"merchantTokenIdentifier":"t"}"#, #"{"merchantTokenIdentifier":"t"}"#),
      (#"{"merchantTokenMetadata":{}}"#, #"{"merchantTokenMetadata":{}}"#),
    ])
  func merchantToken(_ json: String, _ value: String) throws {
    #expect(try text(.merchantToken, of: json) == value)
  }

  @Test("takes the payment data's members from there alone")
  func nesting() throws {
    let json =
      #"{"eciIndicator":5,"onlinePaymentCryptogram":[],"paymentData":{"applicationPrimaryAccountNumber":1}}"#
    for field in [PaymentField.eci, .cryptogram, .dpan] {
      #expect(try text(field, of: json) == nil)
    }
  }

  @Test(
    "is a JSON object, and whole",
    arguments: [
      "", "[]", "1", "\"x\"", "null", "{", "{}x", "{\"a\":1,\"a\":2}", "{\"a\":01}",
      "{\"a\":\"\u{1}\"}", full + "}",
    ])
  func notAnObject(_ json: String) { refused(json) }

  @Test(
    "has known members of their kinds",
    arguments: [
      "applicationPrimaryAccountNumber", "applicationExpirationDate", "currencyCode",
      "transactionAmount", "deviceManufacturerIdentifier",
      "paymentDataType", "paymentData", "cardholderName", "authenticationResponses",
      "merchantTokenIdentifier", "merchantTokenMetadata",
    ])
  func kinds(_ name: String) {
    let right = [
      "transactionAmount": "1", "paymentData": "{}", "authenticationResponses": "[]",
      "merchantTokenMetadata": "{}",
    ][name]
    for value in ["1", "\"4109370251004320\"", "{}", "[]", "true"]
    where value != right ?? "\"4109370251004320\"" {
      refused("{\"\(name)\":\(value)}")
    }
    for inner in ["onlinePaymentCryptogram", "eciIndicator", "emvData", "encryptedPINData"] {
      refused("{\"paymentData\":{\"\(inner)\":1}}")
    }
  }

  @Test(
    "has an account number of 12 to 19 digits",
    arguments: [
      ("123456789012", true), ("1234567890123456789", true), ("12345678901", false),
      ("12345678901234567890", false), ("", false),
      ("4109 3702 5100 4320", false), ("410937025100432a", false), ("٤109370251004320", false),
      (#"\u0034109370251004320"#, false),
    ])
  func accountNumber(_ digits: String, _ accepted: Bool) throws {
    let json = "{\"applicationPrimaryAccountNumber\":\"\(digits)\"}"
    if accepted { #expect(try text(.dpan, of: json) == digits) } else { refused(json) }
  }

  @Test(
    "reads amounts that are whole numbers",
    arguments: [
      ("0", 0), ("1499", 1499), ("18446744073709551615", UInt64.max), ("18446744073709551616", nil),
      ("14.99", nil), ("1e2", nil), ("-1", nil),
    ])
  func amounts(_ text: String, _ amount: UInt64?) throws {
    try #require(TestArena.ready)
    let data = try paymentData("{\"transactionAmount\":\(text)}")
    #expect(data.amount == amount)
  }

  @Test("meets what the caller expects of it")
  func expectationsMet() throws {
    let applicationData = [UInt8](repeating: 7, count: 32)
    for expected in [
      PaymentExpectation(), PaymentExpectation(currency: Array("840".utf8)),
      PaymentExpectation(amount: 1499),
      PaymentExpectation(applicationData: applicationData),
      PaymentExpectation(
        currency: Array("840".utf8), amount: 1499, applicationData: applicationData),
    ] { try paymentData(Self.full).check(expected, applicationData: applicationData.span) }
  }

  @Test(
    "is refused where it does not",
    arguments: [
      PaymentExpectation(currency: Array("978".utf8)),
      PaymentExpectation(currency: Array("84".utf8)), PaymentExpectation(currency: []),
      PaymentExpectation(amount: 1500), PaymentExpectation(amount: 0),
      PaymentExpectation(applicationData: .init(repeating: 8, count: 32)),
      PaymentExpectation(applicationData: []),
      PaymentExpectation(currency: Array("840".utf8), amount: 1),
    ])
  func expectationsMissed(_ expected: PaymentExpectation) throws {
    let applicationData = [UInt8](repeating: 7, count: 32)
    #expect(throws: TokenError.rejected(.expectation)) {
      try paymentData(Self.full).check(expected, applicationData: applicationData.span)
    }
    #expect(throws: TokenError.rejected(.expectation)) {
      try paymentData("{}").check(
        PaymentExpectation(amount: 0), applicationData: applicationData.span)
    }
    #expect(throws: TokenError.rejected(.expectation)) {
      try paymentData(Self.full).check(
        PaymentExpectation(applicationData: applicationData),
        applicationData: applicationData.span.extracting(first: 0))
    }
  }

  @Test("[OP-OPEN-7] a null counts as absent, in any member, and is released as nothing")
  func nulls() throws {
    let names = [
      "applicationPrimaryAccountNumber", "applicationExpirationDate", "currencyCode",
      "transactionAmount", "deviceManufacturerIdentifier",
      "paymentDataType", "cardholderName", "authenticationResponses", "merchantTokenIdentifier",
      "merchantTokenMetadata", "paymentData",
    ]
    let all = try paymentData("{" + names.map { "\"\($0)\":null" }.joined(separator: ",") + "}")
    for field in PaymentField.allCases where field != .raw {
      #expect(all.capacity(for: field) == nil, "\(field)")
    }
    #expect(all.amount == nil && all.pan == nil)
    #expect(throws: TokenError.rejected(.expectation)) {
      try all.check(PaymentExpectation(amount: 0), applicationData: Span())
    }
    let inside = try paymentData(
      #"{"currencyCode":"840","paymentData":{"onlinePaymentCryptogram":null,"eciIndicator":"5","emvData":null,"encryptedPINData":null}}"#
    )
    #expect(
      inside.capacity(for: .cryptogram) == nil && inside.capacity(for: .eci) == 1
        && inside.capacity(for: .currency) == 3)
    refused(#"{"currencyCode":null,"currencyCode":"840"}"#)
  }

  @Test("cut short anywhere is refused")
  func truncation() throws {
    try #require(TestArena.ready)
    let bytes = Array(Self.full.utf8)
    for end in 0..<bytes.count - 1 {
      let part = Array(bytes[..<end])
      #expect(throws: TokenError.rejected(.plaintext)) {
        _ = try PaymentData(SecretBuffer(copying: part.span)).amount
      }
    }
  }

  @Test(
    "nested deep or grown wide is refused",
    arguments: [
      String(repeating: "{\"a\":", count: 40) + "1" + String(repeating: "}", count: 40),
      "{\"a\":" + String(repeating: "[", count: 50_000),
      "{\"a\":[" + String(repeating: "0,", count: 2000) + "0]}",
      "{\"a\":\"" + String(repeating: "x", count: 70_000) + "\"}",
    ])
  func bombs(_ json: String) { refused(json) }

  private func refused(_ json: String) {
    #expect(throws: TokenError.rejected(.plaintext)) { _ = try paymentData(json).amount }
  }
}

@Suite("Payment network")
struct PaymentNetworkTests {
  @Test(
    "is known by the first digits",
    arguments: [
      ("378282", PaymentNetwork.amex), ("341111", .amex), ("361111", .dinersClub),
      ("305999", .dinersClub), ("601111", .discover), ("650000", .discover),
      ("353011", .jcb), ("676770", .maestro), ("510000", .mastercard), ("555555", .mastercard),
      ("222100", .mastercard), ("272099", .mastercard),
      ("220070", .mir), ("979210", .troy), ("625094", .unionPay), ("811111", .unionPay),
      ("400000", .visa), ("499999", .visa),
      ("000000", .unknown), ("222099", .unknown), ("272100", .unknown), ("351111", .unknown),
      ("999999", .unknown), ("199999", .unknown),
    ])
  func ranges(_ digits: String, _ network: PaymentNetwork) throws {
    #expect(
      try text(.network, of: "{\"applicationPrimaryAccountNumber\":\"\(digits)0000000000\"}")
        == network.rawValue)
  }
}

private func paymentData(_ json: String) throws -> PaymentData {
  try #require(TestArena.ready)
  return try PaymentData(SecretBuffer(copying: Array(json.utf8).span))
}

private func text(_ field: PaymentField, of json: String) throws -> String? {
  let data = try paymentData(json)
  guard let capacity = data.capacity(for: field) else { return nil }
  var out = [UInt8](repeating: 0, count: capacity)
  var span = out.mutableSpan
  let count = try data.copy(field, into: &span)
  return String(decoding: out.prefix(count), as: UTF8.self)
}
