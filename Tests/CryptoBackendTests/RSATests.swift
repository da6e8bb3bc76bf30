import Crypto
import Format
import Host
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct RSAVectors {
  /// The empty label is the only one; what was encrypted with another is refused by design.
  @Test func oaep() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (group, test) in try Vectors.wycheproof("rsa_oaep_2048_sha256_mgf1sha256") {
      let der = try group.bytes("privateKeyPkcs8")
      let key = try PrivateKey(pkcs8DER: der.span)
      let result = try test.text("result")
      let label = try test.text("label").isEmpty ? "" : ", labelled"
      let ciphertext = try test.bytes("ct")
      let expected = try test.text("msg")
      do throws(CryptoError) {
        let plaintext = try key.decryptOAEP(ciphertext.span)
        tally.add("\(result)\(label): \(Hex.encode(plaintext.bytes) == expected)")
      } catch { tally.add("\(result)\(label): \(error)") }
    }
    #expect(
      tally.counts == [
        "valid: true": 10, "valid, labelled: authenticationFailed": 8,
        "invalid: authenticationFailed": 19,
      ])
  }
}

@Suite struct RSATests {
  @Test(arguments: [0, 1, 16, 32, 190]) func oaepRoundTrip(count: Int) throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    let plaintext = try Random.bytes(count)
    let ciphertext = try key.publicKey.encryptOAEP(plaintext.span)
    let opened = try key.decryptOAEP(ciphertext.span)
    let isEqual = ConstantTime.equal(opened.bytes, plaintext.span)
    #expect(isEqual && ciphertext.count == 256)
  }

  @Test func oaepRefusesTooMuchAndOtherKeys() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    let ec = try PrivateKey.generate(.p256)
    let plaintext = [UInt8](repeating: 0, count: 191)
    #expect(throws: CryptoError.invalidInput) { _ = try key.publicKey.encryptOAEP(plaintext.span) }
    #expect(throws: CryptoError.invalidInput) { _ = try ec.publicKey.encryptOAEP(plaintext.span) }
    #expect(throws: CryptoError.invalidInput) { _ = try ec.decryptOAEP(plaintext.span) }
  }

  @Test(arguments: [0, 512, 1024, 2047, 2049, 4097, 8192]) func refusesModulusSize(bits: Int) throws
  {
    try #require(TestArena.ready)
    #expect(throws: CryptoError.invalidInput) { _ = try PrivateKey.generate(.rsa(bits: bits)) }
  }

  /// Each of the eight numbers changed in its last byte, the version, a byte after the end, and a
  /// cut.
  @Test func refusesNumbersThatDoNotBelongTogether() throws {
    try #require(TestArena.ready)
    let der = try PrivateKey.generate(.rsa(bits: 2048)).serialised()
    let integers = lastBytes(der.bytes)
    try #require(integers.count == 9)
    for index in integers {
      var changed = try SecretBuffer(copying: der.bytes)
      var bytes = changed.mutableBytes
      bytes[index] ^= 2
      #expect(throws: CryptoError.invalidKey) {
        _ = try PrivateKey(rsaPrivateKeyDER: changed.bytes)
      }
    }
    var longer = try SecretBuffer(count: der.count + 1)
    var bytes = longer.mutableBytes
    bytes.copy(der.bytes)
    #expect(throws: CryptoError.invalidKey) { _ = try PrivateKey(rsaPrivateKeyDER: longer.bytes) }
    #expect(throws: CryptoError.invalidKey) {
      _ = try PrivateKey(rsaPrivateKeyDER: der.bytes.extracting(0..<der.count - 1))
    }
  }

  /// Where each INTEGER inside the outer SEQUENCE ends.
  private func lastBytes(_ der: Span<UInt8>) -> [Int] {
    var found: [Int] = []
    var position = 4
    while position < der.count {
      var length = Int(der[position + 1])
      var head = 2
      if length >= 0x80 {
        head += length & 0x7F
        length = (2..<head).reduce(0) { $0 << 8 | Int(der[position + $1]) }
      }
      position += head + length
      found.append(position - 1)
    }
    return found
  }
}
