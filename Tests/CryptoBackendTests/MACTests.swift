import Crypto
import Format
import Host
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct MACVectors {
  /// Wrong key sizes are the five invalid cases that are no wrong tag.
  @Test func cmacWycheproof() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof("aes_cmac") {
      let key = try test.bytes("key")
      let message = try test.bytes("msg")
      let tag = try test.bytes("tag")
      let result = try test.text("result")
      do throws(CryptoError) {
        tally.add(
          "\(result): \(try BlockCipher.aes.cmac(key: key.span, message: message.span) == tag)")
      } catch { tally.add("\(result): \(error)") }
    }
    #expect(tally.counts == ["valid: true": 63, "invalid: false": 243, "invalid: invalidInput": 5])
  }

  @Test func cmacNIST() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for size in [128, 192, 256] {
      for (_, test) in try Vectors.blocks("nist/cavp/CMAC/nist-800-38b-aes\(size).txt") {
        let key = try test.bytes("KEY")
        let message = try test.bytes("MESSAGE")
        let tag = try test.bytes("OUTPUT")
        tally.add(
          "800-38B \(size): \(try BlockCipher.aes.cmac(key: key.span, message: message.span) == tag)"
        )
      }
    }
    for (group, test) in try Vectors.grouped("nist/acvp/CMAC-AES-1.0.json") {
      let key = try test.bytes("key")
      let message = try test.bytes("message")
      let tag = try test.bytes("mac")
      let isEqual = try BlockCipher.aes.cmac(key: key.span, message: message.span).starts(with: tag)
      let direction = try group.text("direction")
      tally.add(
        direction == "gen" ? "gen: \(isEqual)" : "ver \(try test.flag("testPassed")): \(isEqual)")
    }
    #expect(
      tally.counts == [
        "800-38B 128: true": 4, "800-38B 192: true": 4, "800-38B 256: true": 4, "gen: true": 48,
        "ver true: true": 91, "ver false: false": 29,
      ])
  }

  /// Each key in its 24-byte form, and in 16 bytes where it has two parts.
  @Test func tripleDESCMAC() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (group, test) in try Vectors.grouped("nist/acvp/CMAC-TDES-1.0.json") {
      let message = try test.bytes("message")
      let tag = try test.bytes("mac")
      let key = try test.bytes("key1") + test.bytes("key2") + test.bytes("key3")
      let direction = try group.text("direction")
      let outcome = try direction == "gen" ? "gen" : "ver \(test.flag("testPassed"))"
      for count in key.prefix(8) == key.suffix(8) ? [16, 24] : [24] {
        let computed = try BlockCipher.tripleDES.cmac(
          key: key.span.extracting(first: count), message: message.span)
        tally.add("\(count) \(outcome): \(computed.starts(with: tag))")
      }
    }
    #expect(
      tally.counts == [
        "24 gen: true": 48, "24 ver true: true": 170, "24 ver false: false": 70,
        "16 ver true: true": 85, "16 ver false: false": 35,
      ])
  }

  @Test func hmac() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (group, test) in try Vectors.wycheproof("hmac_sha256") {
      let key = try test.bytes("key")
      let message = try test.bytes("msg")
      let tag = try test.bytes("tag")
      let result = try test.text("result")
      let whole = try HMACSHA256.authenticate(key: key.span, message.span)
      tally.add("\(try group.number("tagSize")) \(result): \(whole.bytes.starts(with: tag))")
    }
    #expect(
      tally.counts == [
        "256 valid: true": 33, "256 invalid: false": 54, "128 valid: true": 33,
        "128 invalid: false": 54,
      ])
  }
}

@Suite struct MACTests {
  /// The secret forms give the same bytes as the open ones.
  @Test func derivedKeysAreTheTags() throws {
    try #require(TestArena.ready)
    let key = [UInt8](repeating: 3, count: 16)
    let message = Array("derive".utf8)
    let mac = try BlockCipher.aes.secretCMAC(key: key.span, message: message.span)
    let open = try BlockCipher.aes.cmac(key: key.span, message: message.span)
    let keyed = try HMACSHA256.derive(key: key.span, message.span)
    let shown = try HMACSHA256.authenticate(key: key.span, message.span)
    #expect(Hex.encode(mac.bytes) == Hex.encode(open))
    #expect(Hex.encode(keyed.bytes) == shown.hex)
  }

  /// An empty key is a key: OpenSSL must not read it as "the key of before".
  @Test func emptyKey() throws {
    try #require(TestArena.ready)
    let none: [UInt8] = []
    let tag = try HMACSHA256.authenticate(key: none.span, none.span)
    #expect(tag.hex == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }
}
