import Format
import Host
import TestSupport
import Testing

@testable import ApplePay

@Suite("[OP-PROV-3] payment data")
struct PassDataTests {
  static let values: [PassMember: [UInt8]] = [
    .encryptedPrimaryAccountNumber: Array("TUJQQUQ=".utf8), .expiration: Array("12/15".utf8),
    .name: Array("Tester Bob".utf8),
    .networkName: Array("Visa".utf8), .nonce: [0x9C, 0x02, 0x30, 0x92],
    .nonceSignature: [0x40, 0x82, 0xF8, 0x83],
    .primaryAccountIdentifier: Array("FAPL".utf8), .primaryAccountNumber: Array("9876543210".utf8),
    .primaryAccountNumberPrefix: Array("483692046".utf8), .productType: Array("X1".utf8),
  ]

  static let texts: [PassConfiguration: String] = [
    .accountNumber:
      #"{"expiration":"12/15","name":"Tester Bob","nonce":"9c023092","nonceSignature":"4082f883","primaryAccountNumber":"9876543210","productType":"X1"}"#,
    .accountIdentifier:
      #"{"nonce":"9c023092","nonceSignature":"4082f883","primaryAccountIdentifier":"FAPL","productType":"X1"}"#,
    .encryptedAccountNumber:
      #"{"encryptedPrimaryAccountNumber":"TUJQQUQ=","name":"Tester Bob","networkName":"Visa","nonce":"9c023092","nonceSignature":"4082f883","primaryAccountNumberPrefix":"483692046","productType":"X1"}"#,
    .encryptedAccountNumberUnnamed:
      #"{"encryptedPrimaryAccountNumber":"TUJQQUQ=","name":"Tester Bob","networkName":"Visa","nonce":"9c023092","nonceSignature":"4082f883","primaryAccountNumberPrefix":"483692046","productType":"X1"}"#,
  ]

  private func build(_ configuration: PassConfiguration, _ values: [PassMember: [UInt8]]) throws
    -> String
  {
    try #require(TestArena.ready)
    var pass = try PassData(configuration)
    for member in PassMember.allCases {
      let value = values[member] ?? []
      try pass.add(member, value.span)
    }
    let built = try pass.finish()
    return String(decoding: built.bytes.indices.map { built.bytes[$0] }, as: UTF8.self)
  }

  private func fitting(_ configuration: PassConfiguration) -> [PassMember: [UInt8]] {
    Self.values.filter { configuration.presence(of: $0.key) != .absent }
  }

  @Test(
    "the members of a configuration, in the order of their names",
    arguments: PassConfiguration.allCases)
  func whole(_ configuration: PassConfiguration) throws {
    #expect(try build(configuration, fitting(configuration)) == Self.texts[configuration])
  }

  @Test(
    "what is missing is refused by its name, unless it is optional",
    arguments: PassConfiguration.allCases)
  func missing(_ configuration: PassConfiguration) throws {
    for (member, _) in fitting(configuration) {
      var values = fitting(configuration)
      values[member] = nil
      switch configuration.presence(of: member) {
      case .required:
        #expect(throws: ProvisioningError.rejected(.missing(member))) {
          try build(configuration, values)
        }
      case .optional: #expect(try !build(configuration, values).contains("\"\(member.rawValue)\""))
      case .absent: Issue.record("\(member) does not fit")
      }
    }
  }

  @Test(
    "what another configuration has is refused by its name", arguments: PassConfiguration.allCases)
  func surplus(_ configuration: PassConfiguration) throws {
    for (member, value) in Self.values where configuration.presence(of: member) == .absent {
      var values = fitting(configuration)
      values[member] = value
      #expect(throws: ProvisioningError.rejected(.surplus(member))) {
        try build(configuration, values)
      }
    }
  }

  static let malformed: [(PassMember, String)] = [
    (.primaryAccountNumber, "1234567"), (.primaryAccountNumber, "12345678901234567890"),
    (.primaryAccountNumber, "987654321x"),
    (.primaryAccountNumber, "9876 543210"), (.expiration, "1/215"), (.expiration, "13/25"),
    (.expiration, "00/25"), (.expiration, "12-25"),
    (.expiration, "1225"), (.expiration, "12/2x"), (.name, String(repeating: "n", count: 257)),
  ]

  @Test("what is malformed is refused by its name", arguments: malformed)
  func form(_ member: PassMember, _ value: String) throws {
    var values = fitting(.accountNumber)
    values[member] = Array(value.utf8)
    #expect(throws: ProvisioningError.rejected(.value(member))) {
      try build(.accountNumber, values)
    }
  }

  @Test(
    "a name stands in JSON as it is, escaped where it must be",
    arguments: [
      (#"Zoë "B" O'Neil\"#, #"Zoë \"B\" O'Neil\\"#),
      ("a\u{0}b\u{1F}\n\u{7F}", "a\\u0000b\\u001f\\u000a\u{7F}"), ("王/小明 🔑", "王/小明 🔑"),
    ])
  func escapes(_ name: String, _ written: String) throws {
    var values = fitting(.accountNumber)
    values[.name] = Array(name.utf8)
    #expect(try build(.accountNumber, values).contains("\"name\":\"\(written)\","))
  }

  @Test("nonce and signature of any length there may be, in lower case") func lengths() throws {
    var values = fitting(.accountIdentifier)
    values[.nonce] = [UInt8](repeating: 0xAB, count: 64)
    values[.nonceSignature] = [UInt8](repeating: 0xCD, count: 256)
    let text = try build(.accountIdentifier, values)
    #expect(
      text.contains("\"" + String(repeating: "ab", count: 64) + "\"")
        && text.contains("\"" + String(repeating: "cd", count: 256) + "\""))
    values[.nonce] = [UInt8](repeating: 0, count: 65)
    #expect(throws: ProvisioningError.rejected(.value(.nonce))) {
      try build(.accountIdentifier, values)
    }
  }
}
