import Crypto
import Format
import Host
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct HOTPVectors {
  @Test("[OP-OTP-4] RFC 4226 appendix D") func counted() throws {
    try #require(TestArena.ready)
    var count = 0
    for (_, test) in try Vectors.blocks("nist/cavp/otp/rfc-4226.txt") {
      let key = Array(try test.text("SECRET").utf8)
      let counter = try #require(UInt64(try test.text("COUNTER")))
      #expect(try code(key, counter, 6, .sha1) == test.text("HOTP"))
      count += 1
    }
    #expect(count == 10)
  }

  @Test("[OP-OTP-4] RFC 6238 appendix B, with all three hashes") func timed() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.blocks("nist/cavp/otp/rfc-6238.txt") {
      let hash: OTPHash =
        switch try test.text("MODE") {
        case "SHA1": .sha1
        case "SHA256": .sha256
        default: .sha512
        }
      let seconds = try #require(UInt64(try test.text("TIME")))
      #expect(try code(Array(test.text("SECRET").utf8), seconds / 30, 8, hash) == test.text("TOTP"))
      tally.add(hash.rawValue)
    }
    #expect(tally.counts == ["SHA-1": 6, "SHA-256": 6, "SHA-512": 6])
  }

  @Test("fewer digits are the last ones, and no other numbers of them are made") func digits()
    throws
  {
    try #require(TestArena.ready)
    let key = Array("12345678901234567890".utf8)
    #expect(try code(key, 1, 8, .sha1) == "94287082")
    #expect(try code(key, 1, 7, .sha1) == "4287082")
    #expect(try code(key, 1, 6, .sha1) == "287082")
    for digits in [0, 5, 9, 10] {
      #expect(throws: CryptoError.invalidInput) { try code(key, 1, digits, .sha1) }
    }
  }

  private func code(_ key: [UInt8], _ counter: UInt64, _ digits: Int, _ hash: OTPHash) throws
    -> String
  {
    let code = try HOTP.code(key: key.span, counter: counter, digits: digits, hash: hash)
    return String(decoding: code.bytes.array, as: UTF8.self)
  }
}
