import ApplePay
import Crypto
import Format
import KistClient
import Testing
@testable import Sandbox

@Suite struct PassOpenerTests {
  private let scene: PassScene

  init() throws { scene = try .ready() }

  private static let identified: [String: String?] = [
    "primaryAccountNumber": nil, "expiration": nil, "name": nil,
    "primaryAccountIdentifier": "FPAN-1",
  ]
  private func encrypted(_ value: String, _ more: [String: String?] = [:]) -> [String: String?] {
    let own: [String: String?] = [
      "primaryAccountNumber": nil, "expiration": nil,
      "encryptedPrimaryAccountNumber": Base64.encode(Array(value.utf8)), "networkName": "Visa",
      "primaryAccountNumberPrefix": "411111",
    ]
    return own.merging(more) { $1 }
  }

  @Test func everyConfigurationOpens() throws {
    let number = try scene.members(["productType": "debit"])
    let opened = try scene.open(scene.seal(number))
    #expect(opened.activation == .none && opened.encryptedNumber == nil)
    for (name, value) in number { #expect(opened.members[name] == value) }
    #expect(
      try scene.open(scene.seal(scene.members(Self.identified))).members["primaryAccountIdentifier"]
        == "FPAN-1")
    for name in ["Bob", nil] {
      let visa = try scene.open(scene.seal(scene.members(encrypted(scene.visa(), ["name": name]))))
      #expect(
        visa.encryptedNumber?.hasPrefix("pan=4111111111111111;expiry=1230;datetime=") == true
          && visa.members["name"] == name)
    }
  }

  @Test(arguments: VisaType.allCases) func visaTakesItsValues(_ kind: VisaType) throws {
    let members = try scene.members(), nonce = try #require(members["nonce"])
    let value = try kind.isAccount ? scene.visa(kind) : scene.visa(kind, nonce: nonce)
    let text =
      kind.isAccount
      ? "pan=4111111111111111;expiry=1230;datetime=20260921141320"
      : "nonce=\(nonce);authcode=ZZLGEZ"
    #expect(
      try scene.open(scene.seal(members, activation: value)).activation
        == .checked(value, text: text))
    let beside = try scene.members(encrypted(scene.visa()))
    let other =
      try kind.isAccount ? scene.visa(kind) : scene.visa(kind, nonce: beside["nonce"] ?? "")
    guard case .checked = try scene.open(scene.seal(beside, activation: other)).activation else {
      Issue.record("not checked")
      return
    }
  }

  @Test(arguments: MastercardTAV.Version.allCases) func mastercardTakesItsValues(
    _ version: MastercardTAV.Version
  ) throws {
    let value = try scene.mastercard(version)
    guard
      case .checked(value, let text) = try scene.open(
        scene.seal(scene.members(), activation: value)
      ).activation
    else {
      Issue.record("not checked")
      return
    }
    #expect(text.contains("4111111111111111") && text.contains("1230"))
  }

  /// Only the network knows the number behind an identifier, and a token's reference.
  @Test func whatThePassDoesNotSayIsNotChecked() throws {
    let three = try scene.mastercard(.three)
    let two = try scene.mastercard(.two, reference: "DWSPMC000000000123")
    #expect(
      try scene.open(scene.seal(scene.members(Self.identified), activation: three)).activation
        == .unchecked(three))
    #expect(
      try scene.open(scene.seal(scene.members(), activation: two)).activation == .unchecked(two))
    #expect(
      try scene.open(scene.seal(scene.members(), activation: "Amex's"), asksNetworks: false)
        .activation == .unchecked("Amex's"))
    #expect(
      try scene.open(scene.seal(scene.members(encrypted("x"))), asksNetworks: false).encryptedNumber
        == nil)
  }

  @Test func whatWasChangedDoesNotOpen() throws {
    let good = try scene.seal(scene.members())
    var data = good.encryptedPassData
    var point = good.ephemeralPublicKey
    data[3] ^= 1
    point[64] ^= 1
    let another = try scene.seal(scene.members()).ephemeralPublicKey
    func changed(_ data: [UInt8]? = nil, _ point: [UInt8]? = nil) -> PassFault? {
      scene.fault(
        .init(
          encryptedPassData: data ?? good.encryptedPassData,
          ephemeralPublicKey: point ?? good.ephemeralPublicKey, activationData: []))
    }
    #expect(
      changed(data) == .ciphertext && changed([]) == .ciphertext
        && changed(Array(repeating: 0, count: 16)) == .ciphertext)
    #expect(changed(nil, another) == .ciphertext)
    #expect(
      changed(nil, point) == .ephemeralKey && changed(nil, []) == .ephemeralKey
        && changed(nil, Array(another.dropFirst())) == .ephemeralKey)
    #expect(changed() == nil)
  }

  @Test(arguments: ["[]", "{}x", "{\"a\":1}", "{\"a\":\"b\",\"a\":\"c\"}", "\"a\""])
  func whatIsNoObjectOfTexts(_ text: String) throws {
    #expect(try scene.fault(scene.seal(Array(text.utf8))) == .notObject)
  }

  @Test(
    arguments: [
      ["name": nil], ["expiration": nil], ["primaryAccountNumber": nil], ["nonce": nil],
      ["nonceSignature": nil], ["primaryAccountIdentifier": "x"],
      ["frob": "x"], ["networkName": "Visa"],
    ] as [[String: String?]])
  func membersOfNoConfiguration(_ change: [String: String?]) throws {
    #expect(try scene.fault(scene.seal(scene.members(change))) == .members)
  }

  @Test func noncesOfAnotherPhone() throws {
    let other = try TestProvisioningPKI.make(under: scene.root).passRequest()
    for change in [
      ["nonce": "00000000"], ["nonce": "xy"],
      ["nonce": Hex.encode(other.nonce), "nonceSignature": Hex.encode(other.nonceSignature)],
    ] {
      #expect(try scene.fault(scene.seal(scene.members(change))) == .nonce)
    }
    let bad = try scene.pki.passRequest(defect: .badNonceSignature)
    let change = ["nonce": Hex.encode(bad.nonce), "nonceSignature": Hex.encode(bad.nonceSignature)]
    #expect(try scene.fault(scene.seal(scene.members(change))) == .nonce)
  }

  @Test func whatVisaRefuses() throws {
    let good = try scene.visa()
    let front = good.prefix(27)
    let back = good.dropFirst(27)
    let damaged = [
      front + String(repeating: "0", count: 16) + back.dropFirst(16),
      front + back.dropLast(16) + String(repeating: "0", count: 16),
    ]
    let other = try scene.visa(.mbpac, nonce: "00112233")
    let table: [(String, NetworkFault)] = [
      (try scene.visa(number: "4111111111111112"), .contradiction),
      (try scene.visa(expiry: "1130"), .contradiction), (other, .contradiction),
      (try scene.visa(keySet: "123456.1"), .key), (String(damaged[0]), .decryption),
      (String(damaged[1]), .decryption),
      (good.replacing("MBPAD", with: "MBPAC"), .decryption),
      (good.replacing("TDEA", with: "AES"), .form), (good + "0", .form),
      (good.replacing("MBPAD", with: "MBPAX"), .form), ("x", .form),
      ("MBPAD-1-FK-sandbox.1--TDEA-", .decryption), ("MBPAD-1-FK-sandbox.1--TDEA-00", .decryption),
      (good.replacing("-FK-", with: "-EK-"), .form),
    ]
    for (value, fault) in table {
      #expect(
        try scene.fault(scene.seal(scene.members(), activation: value)) == .activation(fault),
        "\(value)")
    }
    let numbers: [(String, NetworkFault)] = [
      (try scene.visa(number: "5204240250197840"), .contradiction), (other, .form), ("x", .form),
      (try scene.visa(keySet: "a"), .key),
    ]
    for (value, fault) in numbers {
      #expect(
        try scene.fault(scene.seal(scene.members(encrypted(value)))) == .encryptedNumber(fault),
        "\(value)")
    }
    let plain = try scene.members(encrypted("", ["encryptedPrimaryAccountNumber": "not base64"]))
    #expect(try scene.fault(scene.seal(plain)) == .encryptedNumber(.form))
  }

  @Test func whatMastercardRefuses() throws {
    let good = try scene.mastercard(.three)
    let table: [(String, NetworkFault)] = [
      (try scene.mastercard(.three, number: "5204240250197840"), .signature),
      (try scene.mastercard(.two, expiry: "1130"), .signature),
      (try scene.mastercard(.four, by: PrivateKey.generate(.rsa(bits: 2048))), .signature),
      (try scene.mastercard(.four, alias: "other"), .key),
      (good.replacing("RSA-SHA256", with: "RSA-SHA1"), .form),
      (good.replacing("\"3\"", with: "\"4\""), .form),
      (good.replacing("\"3\"", with: "\"5\""), .form),
      (good.replacing("dataValidUntilTimestamp", with: "dataValidUntil"), .form), ("{}", .form),
      ("{", .form), ("{\"version\":3}", .form),
      (good.replacing("accountNumber|", with: ""), .form),
    ]
    for (value, fault) in table {
      #expect(
        try scene.fault(scene.seal(scene.members(), activation: value)) == .activation(fault),
        "\(value)")
    }
    let sealed = try scene.seal(scene.members(), activation: good)
    for (seconds, fault) in [(Int64(1799), nil), (1800, .time), (-30 * 86_400, .time)]
      as [(Int64, NetworkFault?)]
    {
      #expect(
        scene.fault(sealed, now: Scene.now.adding(seconds: seconds))
          == fault.map { .activation($0) })
    }
  }
}
