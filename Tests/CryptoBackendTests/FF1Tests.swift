import Crypto
import Format
import Host
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct FF1Vectors {
  /// The twelve texts of two to five digits that SP 800-38G took and its revision does not are
  /// refused.
  @Test func wycheproof() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof("aes_ff1_base10") {
      let key = try test.bytes("key")
      let tweak = try test.bytes("tweak")
      let text = Array(try test.text("msg").utf8)
      let image = Array(try test.text("ct").utf8)
      let reason =
        "\(try test.text("result")) \((test.fields["flags"] as? [String] ?? []).joined())"
      do throws(CryptoError) {
        let encrypted = try FF1.encrypt(key: key.span, tweak: tweak.span, digits: text.span)
        let decrypted = try FF1.decrypt(key: key.span, tweak: tweak.span, digits: image.span)
        tally.add(
          "\(reason): \(ConstantTime.equal(encrypted.bytes, image.span) && ConstantTime.equal(decrypted.bytes, text.span))"
        )
      } catch { tally.add("\(reason): \(error)") }
    }
    #expect(
      tally.counts == [
        "valid EdgeCasePrf: true": 1770, "valid EdgeCaseState: true": 1392,
        "valid LargeMessageSize: true": 51,
        "valid NormalMessageSize: true": 87, "valid SmallMessageSize: invalidInput": 12,
        "invalid InvalidKeySize: invalidInput": 5,
        "invalid InvalidMessageSize: invalidInput": 6,
        "invalid InvalidPlaintext: invalidInput": 522,
      ])
  }

  /// NIST's own file has no decimal texts: of other radices, which are not offered, there is
  /// nothing to run.
  @Test func nistHasNoDecimalGroup() throws {
    var tally = Tally()
    for (group, test) in try Vectors.grouped("nist/acvp/ACVP-AES-FF1-1.0.json") {
      let radix = group.has("radix") ? try group.number("radix") : try test.number("radix")
      tally.add(radix == 10 ? "decimal" : "not offered")
    }
    #expect(tally.counts == ["not offered": 750])
  }
}

@Suite struct FF1Tests {
  private static let key = [UInt8](repeating: 7, count: 32)

  /// NIST's examples for FF1 with radix 10 (samples 1, 2, 4, 5, 7 and 8).
  @Test(arguments: [
    ("2B7E151628AED2A6ABF7158809CF4F3C", "", "2433477484"),
    ("2B7E151628AED2A6ABF7158809CF4F3C", "39383736353433323130", "6124200773"),
    ("2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F", "", "2830668132"),
    ("2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F", "39383736353433323130", "2496655549"),
    ("2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94", "", "6657667009"),
    (
      "2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94", "39383736353433323130",
      "1001623463"
    ),
  ])
  func samples(key: String, tweak: String, image: String) throws {
    try #require(TestArena.ready)
    let key = try #require(Hex.decode(key))
    let tweak = try #require(Hex.decode(tweak))
    let text = Array("0123456789".utf8)
    let image = Array(image.utf8)
    let encrypted = try FF1.encrypt(key: key.span, tweak: tweak.span, digits: text.span)
    let decrypted = try FF1.decrypt(key: key.span, tweak: tweak.span, digits: image.span)
    let isRight =
      ConstantTime.equal(encrypted.bytes, image.span)
      && ConstantTime.equal(decrypted.bytes, text.span)
    #expect(isRight)
  }

  @Test(arguments: [0, 1, 5, 513]) func refusesLength(count: Int) throws {
    try #require(TestArena.ready)
    refuses(key: Self.key, tweak: [], digits: [UInt8](repeating: 0x30, count: count))
  }

  @Test(arguments: [6, 7, 15, 512]) func takesLength(count: Int) throws {
    try #require(TestArena.ready)
    let (text, tweak): ([UInt8], [UInt8]) = ((0..<count).map { 0x30 + UInt8($0 % 10) }, [1])
    let encrypted = try FF1.encrypt(key: Self.key.span, tweak: tweak.span, digits: text.span)
    let back = try FF1.decrypt(key: Self.key.span, tweak: tweak.span, digits: encrypted.bytes)
    let isBack = ConstantTime.equal(back.bytes, text.span)
    #expect(isBack)
  }

  @Test(arguments: [0x2F, 0x3A, 0x00, 0xFF] as [UInt8]) func refusesOtherThanDigits(byte: UInt8)
    throws
  {
    try #require(TestArena.ready)
    for place in 0..<6 {
      var text = [UInt8](repeating: 0x31, count: 6)
      text[place] = byte
      refuses(key: Self.key, tweak: [], digits: text)
    }
  }

  @Test func refusesOtherSizes() throws {
    try #require(TestArena.ready)
    let text = [UInt8](repeating: 0x31, count: 6)
    for size in [0, 8, 15, 17, 31, 33] {
      refuses(key: [UInt8](repeating: 1, count: size), tweak: [], digits: text)
    }
    refuses(key: Self.key, tweak: [UInt8](repeating: 1, count: 1025), digits: text)
  }

  private func refuses(key: [UInt8], tweak: [UInt8], digits: [UInt8]) {
    #expect(throws: CryptoError.invalidInput) {
      _ = try FF1.encrypt(key: key.span, tweak: tweak.span, digits: digits.span)
    }
    #expect(throws: CryptoError.invalidInput) {
      _ = try FF1.decrypt(key: key.span, tweak: tweak.span, digits: digits.span)
    }
  }
}
