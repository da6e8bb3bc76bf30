import ApplePay
import CConstantTime
import Ceremony
import Crypto
import Format
import Host
import TestSupport

/// What valgrind watches: our own code that reads secrets. OpenSSL's own branches are left out by
/// `valgrind.supp`.
let watched: [String: @Sendable () throws -> Void] = [
  "comparison": comparison, "digits": digits, "hexadecimal": hexadecimal, "base64": base64,
  "ff1": ff1, "surrogate": surrogate,
  "surrogate-formats": surrogateFormats, "one-time-code": oneTimeCode, "check-values": checkValues,
  "components": components, "key-block": keyBlock,
  "envelope": envelope, "share": share, "payment-data": paymentData, "pass-data": passData,
  "visa-otp": visaOTP,
  "partner-payload": partnerPayload, "partner-key": partnerKey,
  // Must be reported, or the others prove nothing.
  "leaky-twin": leakyTwin,
]

private let pan = "4111111111111111"

private func comparison() throws {
  let a = try secret("0123456789abcdef")
  let b = try secret("0123456789abcdeF")
  guard !ConstantTime.equal(a.bytes, b.bytes), !ConstantTime.isZero(a.bytes) else {
    fatalError("these differ")
  }
}

private func digits() throws {
  let number = try secret(pan)
  guard PAN.hasForm(number.bytes), PAN.isLuhnValid(number.bytes) else {
    fatalError("this is a PAN")
  }
  let other = try secret("41111111111111x1")
  guard !PAN.hasForm(other.bytes) else { fatalError("this is no PAN") }
}

private func hexadecimal() throws {
  let text = try secret("08d7B4fb629d0885")
  guard let bytes = try SecretHex.decode(text.bytes) else { fatalError("this is hexadecimal") }
  var digits: [UInt8] = []
  for i in 0..<bytes.count {
    digits += [Hex.digit(bytes.bytes[i] >> 4), Hex.digit(bytes.bytes[i] & 15, upperCase: true)]
  }
  expect(
    digits.span,
    "08d7b4fb629D0885".enumerated().map { $0 % 2 == 0 ? $1.lowercased() : $1.uppercased() }.joined()
  )
}

private func base64() throws {
  let bytes = try secret(Array(0..<50))
  let text = try ActivationText.base64(bytes.bytes)
  var decoded = try SecretBuffer(count: 50)
  var out = decoded.mutableBytes
  guard Base64.decode(text.bytes, into: &out) == 50 else { fatalError("this is base64") }
  guard ConstantTime.equal(decoded.bytes, bytes.bytes) else { fatalError("other bytes came back") }
}

/// SP 800-38G's first sample, with a key and digits that count as secret.
private func ff1() throws {
  let key = try secret([
    0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F, 0x3C,
  ])
  let digits = try secret("0123456789")
  let tweak = [UInt8]()
  let encrypted = try FF1.encrypt(key: key.bytes, tweak: tweak.span, digits: digits.bytes)
  expect(encrypted.bytes, "2433477484")
  let decrypted = try FF1.decrypt(key: key.bytes, tweak: tweak.span, digits: encrypted.bytes)
  expect(decrypted.bytes, "0123456789")
}

private func surrogate() throws {
  let key = try secret([UInt8](repeating: 7, count: 32))
  let number = try secret(pan)
  let merchant = Array("merchant.example".utf8)
  let made = try Surrogate.make(of: number.bytes, merchant: merchant.span, key: key.bytes)
  let back = try Surrogate.pan(of: made.bytes, merchant: merchant.span, key: key.bytes)
  expect(back.bytes, pan)
}

/// Each way to write a PAN as a text of a format, and each rule of Luhn's formula.
private func surrogateFormats() throws {
  let key = try secret([UInt8](repeating: 7, count: 32))
  let number = try secret(pan)
  let merchant = Array("merchant.example".utf8)
  let formats = [
    try SurrogateFormat(luhn: .pass), try SurrogateFormat(first: 6, luhn: .any),
    try SurrogateFormat(prefix: Array("9".utf8)),
    try SurrogateFormat(prefix: Array("90".utf8), first: 2, length: 20, luhn: .pass),
    try SurrogateFormat(length: 17),
  ]
  for format in formats {
    let made = try Surrogate.make(
      of: number.bytes, merchant: merchant.span, format: format, key: key.bytes)
    let back = try Surrogate.pan(
      of: made.bytes, merchant: merchant.span, format: format, key: key.bytes)
    expect(back.bytes, pan)
  }
}

/// RFC 4226 appendix D, and one code for each other hash.
private func oneTimeCode() throws {
  let key = try secret("12345678901234567890")
  for (counter, code) in ["755224", "287082", "359152", "969429", "338314"].enumerated() {
    let made = try HOTP.code(key: key.bytes, counter: UInt64(counter), digits: 6, hash: .sha1)
    expect(made.bytes, code)
  }
  for hash in OTPHash.allCases {
    _ = try HOTP.code(key: key.bytes, counter: 1, digits: 8, hash: hash)
  }
}

private func checkValues() throws {
  let key = try secret(Array(1...24))
  _ = (
    try KeyCheckValue.aes(key.bytes), try KeyCheckValue.tripleDES(key.bytes),
    try KeyCheckValue.hmac(key.bytes)
  )
}

private func components() throws {
  let algorithm = ComponentAlgorithm.tripleDES2
  let one = withOddParity(Array(1...16))
  let other = withOddParity(Array(101...116))
  let whole = withOddParity(zip(one, other).map { $0 ^ $1 })
  var entry = try KeyComponents(algorithm, expected: 2)
  for component in [one, other] {
    let typed = try secret(component)
    try entry.take(typed.bytes, check: try algorithm.checkValue(of: component.span))
  }
  _ = try entry.combine(check: try algorithm.checkValue(of: whole.span))
}

private func withOddParity(_ key: [UInt8]) -> [UInt8] {
  var key = key
  var bytes = key.mutableSpan
  DESParity.setOdd(&bytes)
  return key
}

private func keyBlock() throws {
  let key = try secret(Array(1...32))
  let kbpk = try secret(Array(101...132))
  let header = try KeyBlockHeader(usage: .dataEncryption, algorithm: .aes, mode: .encryptDecrypt)
  var block = try KeyBlock.wrap(key: key.bytes, header: header, kbpk: kbpk.bytes)
  makeKnown(&block)
  let opened = try KeyBlock.unwrap(block.span, kbpk: kbpk.bytes)
  guard ConstantTime.equal(opened.key.bytes, key.bytes) else { fatalError("another key came back") }
}

private func envelope() throws {
  let key = try secret(Array(1...32))
  let id = [UInt8](repeating: 1, count: Envelope.keyIDSize)
  let number = try secret(pan)
  var sealed = try Envelope.seal(number.bytes, key: key.bytes, id: id.span, associatedData: id.span)
  makeKnown(&sealed)
  let opened = try Envelope(sealed.span).open(key: key.bytes, associatedData: id.span)
  expect(opened.bytes, pan)
}

/// Words of a new split, typed in again and handed in, give the secret.
private func share() throws {
  let key = try secret(Array(1...32))
  let shares = try ShareCollection.split(key.bytes, by: SharingScheme(2, of: 3))
  let first = try typedAgain(try shares.share(0))
  let second = try typedAgain(try shares.share(2))
  var typed = try ShareCollection(first)
  try typed.add(second)
  let back = try typed.combine()
  guard ConstantTime.equal(back.bytes, key.bytes) else { fatalError("another secret came back") }
}

private func typedAgain(_ share: borrowing Share) throws -> Share {
  let words = try share.words()
  let handedIn = try Share(words: words.bytes).bytes()
  return try Share(bytes: handedIn.bytes)
}

/// The structure of the JSON is known; the values that only a grant releases are not.
private func paymentData() throws {
  let cryptogram = "AgAAAAAABgwZRwAAAmD/gQAAAAA="
  for (part, field) in [
    (pan, PaymentField.dpan), (cryptogram, .cryptogram), ("291231", .expiry),
    ("Jane Doe", .cardholderName),
  ] {
    let json = """
      {"applicationPrimaryAccountNumber":"\(pan)","applicationExpirationDate":"291231","currencyCode":"978","transactionAmount":1250,\
      "cardholderName":"Jane Doe","deviceManufacturerIdentifier":"040010030273","paymentDataType":"3DSecure",\
      "paymentData":{"onlinePaymentCryptogram":"\(cryptogram)","eciIndicator":"7"}}
      """
    let plaintext = try secret(part, in: json)
    let data = try PaymentData(plaintext)
    for any in PaymentField.allCases { _ = try text(of: any, in: data) }
    guard data.network == .visa else { fatalError("this is Visa's") }
    let value = try text(of: field, in: data)
    expect(value.bytes, part)
  }
}

private func text(of field: PaymentField, in data: borrowing PaymentData) throws -> SecretBuffer {
  var room = try SecretBuffer(count: data.capacity(for: field) ?? 0)
  var out = room.mutableBytes
  let count = try data.copy(field, into: &out)
  return try SecretBuffer(copying: room.bytes.extracting(first: count))
}

private func passData() throws {
  var data = try PassData(.accountNumber)
  for member in PassMember.allCases {
    let value: SecretBuffer =
      switch member {
      case .primaryAccountNumber: try secret(pan)
      case .expiration: try secret("12/29")
      case .name: try secret("Jane \"JD\" Doe")
      case .nonce, .nonceSignature: try secret("nonce")
      case .networkName, .productType, .encryptedPrimaryAccountNumber, .primaryAccountIdentifier,
        .primaryAccountNumberPrefix:
        try secret("")
      }
    try data.add(member, value.bytes)
  }
  _ = try data.finish()
}

private func visaOTP() throws {
  let key = try secret(Array(1...16))
  let nonce = try secret(Array(1...8))
  let code = try secret("A1b2C3")
  _ = try VisaOTP(.mbpac, keySet: "123456.1").activation(
    nonce: nonce.bytes, code: code.bytes, key: key.bytes)
  let number = try secret(pan)
  let expiry = try secret("1229")
  let now = Timestamp(seconds: 1_700_000_000)
  _ = try VisaOTP(.mbpad, keySet: "123456.1").account(
    number: number.bytes, expiry: expiry.bytes, at: now, key: key.bytes)
}

/// What is written for a partner, before it is encrypted.
private func partnerPayload() throws {
  let number = try secret(pan)
  let name = try secret("Jane \"JD\" Doe")
  let room =
    PartnerPayload.capacity(of: "dpan", number.bytes)
    + PartnerPayload.capacity(of: "cardholder_name", name.bytes)
  var payload = try PartnerPayload(capacity: room)
  payload.add("dpan", text: number.bytes)
  payload.add("cardholder_name", text: name.bytes)
  let json = try payload.finish()
  expect(json.bytes, #"{"dpan":"4111111111111111","cardholder_name":"Jane \"JD\" Doe"}"#)
}

/// RFC 7518 appendix C, with a Z that counts as secret.
private func partnerKey() throws {
  let z = try secret([
    158, 86, 217, 29, 129, 113, 53, 211, 114, 131, 66, 131, 191, 132, 38, 156, 251, 49, 110, 163,
    218, 128, 106, 72, 246, 218, 167, 121, 140, 254, 144, 196,
  ])
  let key = try ECDHES.derive(
    z.bytes, for: "A128GCM", partyU: Array("Alice".utf8), partyV: Array("Bob".utf8), count: 16)
  let expected: [UInt8] = [86, 170, 141, 234, 248, 35, 109, 32, 92, 34, 40, 205, 113, 167, 16, 26]
  guard ConstantTime.equal(key.bytes, expected.span) else { fatalError("another key came out") }
}

/// A comparison as nobody should write it.
private func leakyTwin() throws {
  let a = try secret("0123456789abcdef")
  let b = try secret("0123456789abcdeF")
  guard !leaves(a.bytes, b.bytes) else { fatalError("these differ") }
}

/// Ciphertext and MAC depend on keys, but everybody may know them.
private func makeKnown(_ bytes: inout [UInt8]) {
  unsafe bytes.withUnsafeMutableBytes { raw in unsafe kist_mark_public(raw.baseAddress, raw.count) }
}
