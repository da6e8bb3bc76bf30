import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct CipherVectors {
  /// 12- and 16-byte IVs run both ways; every other size is refused by design, the valid ones too.
  @Test func aesGCM() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (group, test) in try Vectors.wycheproof("aes_gcm") {
      let key = try test.bytes("key")
      let iv = try test.bytes("iv")
      let aad = try test.bytes("aad")
      let result = try test.text("result")
      let plaintext = try test.bytes("msg")
      let ciphertext = try test.bytes("ct")
      let tag = try test.bytes("tag")
      let size = try group.number("ivSize")
      let label = size == 96 || size == 128 ? "\(size) \(result)" : "other \(result)"
      do throws(CryptoError) {
        let opened = try AESGCM.open(
          key: key.span, iv: iv.span, ciphertext: ciphertext.span, tag: tag.span, aad: aad.span)
        let sealed = try AESGCM.seal(
          key: key.span, iv: iv.span, plaintext: plaintext.span, aad: aad.span)
        let isRight = ConstantTime.equal(opened.bytes, plaintext.span) && sealed == ciphertext + tag
        tally.add("\(label): \(isRight ? "opened" : "wrong bytes")")
      } catch { tally.add("\(label): \(error)") }
    }
    #expect(
      tally.counts == [
        "96 valid: opened": 116, "128 valid: opened": 58, "96 invalid: authenticationFailed": 81,
        "other valid: invalidInput": 55,
        "other invalid: invalidInput": 6,
      ])
  }

  @Test func tripleDES() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for file in ["TCBCMMT1", "TCBCMMT2", "TCBCMMT3"] {
      for (section, test) in try Vectors.blocks("nist/cavp/3DES/CBC/\(file).rsp")
      where test.has("KEY1") {
        let key = try test.bytes("KEY1") + test.bytes("KEY2") + test.bytes("KEY3")
        let isRight = try runs(
          key, test.bytes("IV"), test.bytes("PLAINTEXT"), test.bytes("CIPHERTEXT"))
        tally.add("\(file) \(section): \(isRight)")
      }
    }
    for (group, test) in try Vectors.grouped("nist/acvp/ACVP-TDES-CBC-1.0.json") {
      let key = try test.bytes("key1") + test.bytes("key2") + test.bytes("key3")
      let isRight = try runs(key, test.bytes("iv"), test.bytes("pt"), test.bytes("ct"))
      tally.add("ACVP \(try group.text("direction")): \(isRight)")
    }
    var expected = ["ACVP encrypt: true": 344, "ACVP decrypt: true": 344]
    for file in ["TCBCMMT1", "TCBCMMT2", "TCBCMMT3"] {
      expected["\(file) ENCRYPT: true"] = 10
      expected["\(file) DECRYPT: true"] = 10
    }
    #expect(tally.counts == expected)
  }

  /// The check values HSMs print: of AES keys three or five bytes, of TDES keys three.
  @Test func checkValues() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for test in try #require(
      try JSONSerialization.jsonObject(with: Vectors.data("tr31/kcv.json")) as? [[String: Any]]
    ).map(VectorCase.init) {
      let key = try test.bytes("key")
      let expected = try test.bytes("kcv")
      let algorithm = try test.text("algorithm")
      let value =
        try algorithm == "AES" ? KeyCheckValue.aes(key.span) : KeyCheckValue.tripleDES(key.span)
      tally.add("\(algorithm) \(expected.count): \(value.bytes.starts(with: expected))")
    }
    #expect(tally.counts == ["TDES 3: true": 12, "AES 3: true": 2, "AES 5: true": 3])
  }

  /// Both directions; where the first and third key are equal, the 16-byte form as well.
  private func runs(_ key: [UInt8], _ iv: [UInt8], _ plaintext: [UInt8], _ ciphertext: [UInt8])
    throws -> Bool
  {
    var keys = [key]
    if key.prefix(8) == key.suffix(8) { keys.append(Array(key.prefix(16))) }
    for key in keys {
      let decrypted = try BlockCipher.tripleDES.decrypt(
        key: key.span, iv: iv.span, ciphertext: ciphertext.span)
      guard
        try BlockCipher.tripleDES.encrypt(key: key.span, iv: iv.span, plaintext: plaintext.span)
          == ciphertext,
        ConstantTime.equal(decrypted.bytes, plaintext.span)
      else { return false }
    }
    return true
  }
}

@Suite struct CipherTests {
  private let key = [UInt8](repeating: 7, count: 32), none: [UInt8] = []

  @Test(arguments: [0, 8, 15, 17, 31, 33, 64]) func refusesKeySize(size: Int) throws {
    try #require(TestArena.ready)
    let key = [UInt8](repeating: 1, count: size)
    let iv = [UInt8](repeating: 0, count: 16)
    let block = iv
    #expect(throws: CryptoError.invalidInput) {
      _ = try AESGCM.seal(key: key.span, iv: iv.span, plaintext: block.span, aad: none.span)
    }
    #expect(throws: CryptoError.invalidInput) {
      _ = try BlockCipher.aes.encrypt(key: key.span, iv: iv.span, plaintext: block.span)
    }
    #expect(throws: CryptoError.invalidInput) {
      _ = try BlockCipher.aes.cmac(key: key.span, message: block.span)
    }
    #expect(throws: CryptoError.invalidInput) {
      _ = try BlockCipher.tripleDES.encrypt(
        key: key.span, iv: block.span.extracting(0..<8), plaintext: block.span)
    }
    #expect(throws: CryptoError.invalidInput) {
      _ = try BlockCipher.tripleDES.secretCMAC(key: key.span, message: block.span)
    }
  }

  @Test(arguments: [0, 1, 12, 15, 17]) func refusesTagSize(size: Int) throws {
    try #require(TestArena.ready)
    let iv = [UInt8](repeating: 0, count: 12)
    let tag = [UInt8](repeating: 0, count: size)
    #expect(throws: CryptoError.invalidInput) {
      _ = try AESGCM.open(
        key: key.span, iv: iv.span, ciphertext: none.span, tag: tag.span, aad: none.span)
    }
  }

  @Test(arguments: [1, 15, 17, 31]) func refusesPartBlocks(size: Int) throws {
    try #require(TestArena.ready)
    let iv = [UInt8](repeating: 0, count: 16)
    let text = [UInt8](repeating: 0, count: size)
    #expect(throws: CryptoError.invalidInput) {
      _ = try BlockCipher.aes.encrypt(key: key.span, iv: iv.span, plaintext: text.span)
    }
    #expect(throws: CryptoError.invalidInput) {
      _ = try BlockCipher.aes.decrypt(key: key.span, iv: iv.span, ciphertext: text.span)
    }
    #expect(throws: CryptoError.invalidInput) {
      _ = try BlockCipher.tripleDES.decrypt(
        key: key.span.extracting(0..<24), iv: iv.span.extracting(0..<8), ciphertext: text.span)
    }
  }

  /// SP 800-38A F.2.1, F.2.3 and F.2.5: four blocks with each key size.
  @Test(arguments: [
    (
      "2b7e151628aed2a6abf7158809cf4f3c",
      "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
    ),
    (
      "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
      "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
    ),
    (
      "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
      "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
    ),
  ])
  func cbcExamples(keyHex: String, ciphertextHex: String) throws {
    try #require(TestArena.ready)
    let key = try #require(Hex.decode(keyHex))
    let iv = try #require(Hex.decode("000102030405060708090a0b0c0d0e0f"))
    let plaintext = try #require(
      Hex.decode(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
      ))
    let ciphertext = try BlockCipher.aes.encrypt(
      key: key.span, iv: iv.span, plaintext: plaintext.span)
    #expect(Hex.encode(ciphertext) == ciphertextHex)
    let opened = try BlockCipher.aes.decrypt(
      key: key.span, iv: iv.span, ciphertext: ciphertext.span)
    let isEqual = ConstantTime.equal(opened.bytes, plaintext.span)
    #expect(isEqual)
  }

}
