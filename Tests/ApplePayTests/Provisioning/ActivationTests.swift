import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import ApplePay

@Suite("values of payment networks")
struct ActivationTests {
  private static let key = Hex.decode("0123456789abcdeffedcba9876543210") ?? []
  private static let now = Timestamp(seconds: 1_748_779_200)  // 2025-06-01T12:00:00Z

  private func text(_ secret: borrowing SecretBuffer) -> String {
    String(decoding: secret.bytes.array, as: UTF8.self)
  }

  /// What Visa finds in a value: two spaces, four characters, length, text, filling.
  private func opened(_ otp: String) throws -> String {
    let parts = otp.split(separator: "-", omittingEmptySubsequences: false)
    #expect(parts.dropFirst().prefix(5) == ["1", "FK", "123456.1", "", "TDEA"])
    let hex = try #require(parts.last)
    #expect(!hex.contains { $0.isLowercase })
    let ciphertext = try #require(Hex.decode(hex)), iv = [UInt8](repeating: 0, count: 8),
      key = Self.key
    let block = text(
      try BlockCipher.tripleDES.decrypt(key: key.span, iv: iv.span, ciphertext: ciphertext.span))
    #expect(block.hasPrefix("  ") && block.utf8.count.isMultiple(of: 8))
    #expect(block.utf8.dropFirst(2).prefix(4).allSatisfy { (33...126).contains($0) })
    let rest = block.dropFirst(6)
    let count = try #require(
      [2, 3].map { Int(rest.prefix($0)) }.compactMap { $0 }.first {
        $0 > 9 && rest.count - 2 - $0 < 8
      })
    let body = rest.dropFirst(String(count).count)
    #expect(body.dropFirst(count).allSatisfy { $0 == "!" })
    return String(body.prefix(count))
  }

  @Test("[OP-OTP-1] Visa's four types", arguments: VisaType.allCases) func visa(_ kind: VisaType)
    throws
  {
    try #require(TestArena.ready)
    let key = Self.key
    let made = VisaOTP(kind, keySet: "123456.1")
    let (nonce, code, number, expiry): ([UInt8], [UInt8], [UInt8], [UInt8]) =
      (
        [0x9C, 0x02, 0x30, 0x92], Array("ZZLGEZ".utf8), Array("4111111111111111".utf8),
        Array("1230".utf8)
      )
    if kind.isAccount {
      let otp = try made.account(
        number: number.span, expiry: expiry.span, at: Self.now, key: key.span)
      #expect(text(otp).hasPrefix(kind.code + "-"))
      #expect(try opened(text(otp)) == "pan=4111111111111111;expiry=1230;datetime=20250601120000")
      #expect(throws: ActivationError.input) {
        _ = try made.activation(nonce: nonce.span, code: code.span, key: key.span).count
      }
    } else {
      let otp = try made.activation(nonce: nonce.span, code: code.span, key: key.span)
      #expect(text(otp).hasPrefix(kind.code + "-"))
      #expect(try opened(text(otp)) == "nonce=9c023092;authcode=ZZLGEZ")
      #expect(throws: ActivationError.input) {
        _ = try made.account(number: number.span, expiry: expiry.span, at: Self.now, key: key.span)
          .count
      }
    }
  }

  @Test("[OP-OTP-1] two values of the same card differ") func random() throws {
    try #require(TestArena.ready)
    let key = Self.key
    let number = Array("4111111111111111".utf8)
    let expiry = Array("1230".utf8)
    let made = try (0..<10).map { _ in
      text(
        try VisaOTP(.mbpad, keySet: "1").account(
          number: number.span, expiry: expiry.span, at: Self.now, key: key.span))
    }
    #expect(Set(made).count == 10)
  }

  static let badAccounts = [
    ("411111111111111x", "1230"), ("4111111", "1230"), ("", "1230"), ("4111111111111111", "1330"),
    ("4111111111111111", "123"), ("4111111111111111", ""),
  ]

  @Test("[OP-OTP-3] a card of another form", arguments: badAccounts) func badAccount(
    _ number: String, _ expiry: String
  ) throws {
    try #require(TestArena.ready)
    let key = Self.key
    let number = Array(number.utf8)
    let expiry = Array(expiry.utf8)
    #expect(throws: ActivationError.input) {
      _ = try VisaOTP(.mpad, keySet: "1").account(
        number: number.span, expiry: expiry.span, at: Self.now, key: key.span
      ).count
    }
    #expect(throws: ActivationError.input) { _ = try tav(.three, number, expiry) }
  }

  @Test("[OP-OTP-3] a code that could split the text") func badCode() throws {
    try #require(TestArena.ready)
    let (key, nonce): ([UInt8], [UInt8]) = (Self.key, [1])
    for code in ["", "AB;C", "AB=C", "AB C", "Ä", String(repeating: "A", count: 33)] {
      let code = Array(code.utf8)
      #expect(throws: ActivationError.input) {
        _ = try VisaOTP(.mbpac, keySet: "1").activation(
          nonce: nonce.span, code: code.span, key: key.span
        ).count
      }
    }
    let (none, code): ([UInt8], [UInt8]) = ([], Array("A".utf8))
    #expect(throws: ActivationError.input) {
      _ = try VisaOTP(.mbpac, keySet: "1").activation(
        nonce: none.span, code: code.span, key: key.span
      ).count
    }
  }

  private static let rsa = try? PrivateKey.generate(.rsa(bits: 2048))

  private func tav(
    _ version: MastercardTAV.Version, _ number: [UInt8], _ expiry: [UInt8], reference: [UInt8] = [],
    until: Timestamp? = nil, alias: String? = nil
  ) throws -> String {
    let key = try #require(Self.rsa)
    let value = try MastercardTAV(
      version, number: number.span, expiry: expiry.span, tokenReference: reference.span,
      until: until, keyAlias: alias, at: Self.now)
    return text(try value.sign(with: key))
  }

  private func verify(_ json: String, _ signed: String) throws -> Bool {
    let after = json.components(separatedBy: "\"signature\":\"").last ?? ""
    let signature = try #require(Base64.decode(after.prefix { $0 != "\"" })),
      message = Array(signed.utf8)
    let key = try #require(Self.rsa)
    return key.publicKey.verify(signature: signature.span, message: message.span)
  }

  @Test("[OP-OTP-2] Mastercard's versions") func mastercard() throws {
    try #require(TestArena.ready)
    let number = Array("5204240499131816".utf8)
    let expiry = Array("0430".utf8)
    let two = try tav(.two, number, expiry)
    #expect(
      two.hasPrefix("{\"expirationDateIncluded\":\"true\",\"signature\":\"")
        && two.hasSuffix(
          "\",\"signatureAlgorithm\":\"RSA-SHA256\",\"tokenUniqueReferenceIncluded\":\"false\",\"version\":\"2\"}"
        ))
    #expect(try verify(two, "5204240499131816Y0430N"))
    let referenced = try tav(.two, number, expiry, reference: Array("DWSP1".utf8))
    #expect(referenced.contains("\"tokenUniqueReferenceIncluded\":\"true\""))
    #expect(try verify(referenced, "5204240499131816Y0430YDWSP1"))
    let three = try tav(.three, number, expiry)
    #expect(
      three.hasPrefix(
        "{\"dataValidUntilTimestamp\":\"2025-06-01T12:30:00Z\",\"includedFieldsInOrder\":\"accountNumber|accountExpiry|dataValidUntilTimestamp\","
      ))
    #expect(try verify(three, "5204240499131816|0430|2025-06-01T12:30:00Z"))
    let four = try tav(
      .four, number, expiry, until: Self.now.adding(seconds: 30 * 86_400), alias: "issuer.1")
    #expect(
      four.contains(
        "\"includedFieldsInOrder\":\"dataValidUntilTimestamp|accountNumber|accountExpiry\",\"keyAlias\":\"issuer.1\","
      ))
    #expect(try verify(four, "2025-07-01T12:00:00Z|5204240499131816|0430"))
    for json in [two, referenced, three, four] { #expect(!json.contains("5204240499131816")) }
  }

  @Test("[OP-OTP-2] what a version does not have, or an end out of bounds") func refusedTAV() throws
  {
    try #require(TestArena.ready)
    let number = Array("5204240499131816".utf8)
    let expiry = Array("0430".utf8)
    #expect(throws: ActivationError.input) {
      _ = try tav(.two, number, expiry, until: Self.now.adding(seconds: 60))
    }
    #expect(throws: ActivationError.input) {
      _ = try tav(.three, number, expiry, reference: [0x41])
    }
    #expect(throws: ActivationError.input) { _ = try tav(.four, number, expiry) }
    for seconds: Int64 in [0, -1, 30 * 86_400 + 1] {
      #expect(throws: ActivationError.input) {
        _ = try tav(.three, number, expiry, until: Self.now.adding(seconds: seconds))
      }
    }
  }
}
