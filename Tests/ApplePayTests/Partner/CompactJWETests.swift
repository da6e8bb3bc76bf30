import Crypto
import Format
import Host
import TestSupport
import Testing

@testable import ApplePay

@Suite struct CompactJWETests {
  private static let now = Timestamp(seconds: 1_750_000_000)
  private static let text = Array(#"{"dpan":"4817490000004320"}"#.utf8)

  init() throws { try #require(TestArena.ready) }

  private func seal(for key: PrivateKey, _ members: String = "") throws -> String {
    let members = try #require(JWEMembers(members))
    let text = Self.text
    return try CompactJWE.seal(text.span, for: key.publicKey, members, at: Self.now)
  }

  // Inlined, it ends Swift 6.3's optimiser with an internal error.
  @inline(never) private func opened(_ jwe: String, with key: PrivateKey) throws -> [UInt8] {
    let opened = try JWEOpener.open(jwe, with: .privateKey(key))
    return opened.plaintext.bytes.array
  }

  /// RFC 7518 appendix C: Alice's ephemeral key and Bob's.
  @Test("[OP-PARTNER-4] the key agreed on is that of RFC 7518's example")
  func exampleOfRFC7518() throws {
    let z = try #require(
      Hex.decode("9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4"))
    let derived = try ECDHES.derive(
      z.span, for: "A128GCM", partyU: Array("Alice".utf8), partyV: Array("Bob".utf8), count: 16)
    let key = derived.bytes.array
    #expect(Base64URL.encode(key) == "VqqN6vgjbSBcIijNcacQGg")
  }

  /// RFC 7520 §5.5, up to the key that encrypts the content.
  @Test("[OP-PARTNER-4] the key agreed on is that of RFC 7520's example of direct agreement")
  func directAgreementOfRFC7520() throws {
    let scalar = try #require(
      Hex.decode("aff907c99f9ad3aae6c4cdf21122bce2bd68b5283e6907154ad911840fa208cf"))
    let epk = try #require(
      Hex.decode(
        "0498f50a4ff6c05861c8860d13a638ea56c3f5ad7590bbfbf054e1c7b4d91d6280f01400b089867804b8e9fc96c3932161f1934f4223069170d924b7e03bf822bb"
      ))
    let own = try EphemeralKey(scalar: scalar.span)
    let z = try own.agree(with: epk.span)
    let derived = try ECDHES.derive(z.bytes, for: "A128CBC-HS256", count: 32)
    let key = Hex.encode(derived.bytes)
    #expect(key == "8731dd95f4080047a16fc1eb77f9854612ac28b1333dfb217d7b3d97a6ab7827")
  }

  /// RFC 7520 §5.7, up to the wrapped key.
  @Test("[OP-PARTNER-4] the wrapped key and its tag are those of RFC 7520's example of A256GCMKW")
  func wrappingOfRFC7520() throws {
    let shared = try #require(
      Hex.decode("a82e7b97fbb1726ecd9b72be72de06163c7cb4cd54f0267434b06f750b2d892f"))
    let content = try #require(
      Hex.decode("516c404696addb79cbf517888f8586dc3d5e7bd238afe32fe502ee157772feb1"))
    let iv = try #require(Hex.decode("2a4613d065ffda31e57ea37f"))
    let (wrapped, tag) = try CompactJWE.wrap(content.span, under: shared.span, iv: iv)
    #expect(Base64URL.encode(wrapped) == "lJf3HbOApxMEBkCMOoTnnABxs_CvTWUmZQ2ElLvYNok")
    #expect(Base64URL.encode(tag) == "kfPduVQ3T3H6vnewt--ksw")
  }

  /// RFC 7516 appendix A.1, from the content key on: its RSA-OAEP is that with SHA-1, which we have
  /// not.
  @Test("[OP-PARTNER-4] ciphertext and tag are those of RFC 7516's example of A256GCM")
  func contentOfRFC7516() throws {
    let content = try #require(
      Hex.decode("b1a1f480548fe1733fb403ff6b9ad4f68a076e5b702e22692f82cb2e7aea40fc"))
    let iv = try #require(Hex.decode("e3c575fc02dbe944b4e14ddb"))
    let text = Array("The true sign of intelligence is not knowledge but imagination.".utf8)
    let jwe = try CompactJWE.encrypt(
      text.span, under: content.span, iv: iv, header: #"{"alg":"RSA-OAEP","enc":"A256GCM"}"#, [])
    #expect(
      jwe
        == "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ..48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A.XFBoMYUZodetZdvTiFvSkQ"
    )
  }

  @Test("[OP-PARTNER-4] two encryptions have nothing in common but the header's names")
  func fresh() throws {
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    let one = try seal(for: key).split(separator: ".")
    let other = try seal(for: key).split(separator: ".")
    #expect(one[0] == other[0])
    for part in 1..<5 { #expect(one[part] != other[part]) }
  }

  @Test("[OP-PARTNER-4] five parts, of which direct agreement leaves the second empty")
  func parts() throws {
    let direct = try seal(for: .generate(.p256)).split(
      separator: ".", omittingEmptySubsequences: false)
    #expect(direct.count == 5 && direct[1].isEmpty)
    let shared = [UInt8](repeating: 7, count: 32)
    let text = Self.text
    let none = JWEMembers.none
    let wrapped = try CompactJWE.seal(text.span, underShared: shared.span, none, at: Self.now)
      .split(separator: ".")
    #expect(wrapped.count == 5 && wrapped[1].count == 43)
  }

  @Test("[OP-PARTNER-4] no other curve, and no shorter shared key")
  func otherKeys() throws {
    for kind in [KeyKind.p384, .ed25519] {
      let key = try PrivateKey.generate(kind)
      #expect(throws: CryptoError.invalidKey) { _ = try seal(for: key) }
    }
    let short = [UInt8](repeating: 7, count: 16)
    let text = Self.text
    let none = JWEMembers.none
    #expect(throws: CryptoError.invalidKey) {
      _ = try CompactJWE.seal(text.span, underShared: short.span, none, at: Self.now)
    }
  }

  @Test("[OP-PARTNER-4] a change of any part is found")
  func tampered() throws {
    let key = try PrivateKey.generate(.p256)
    let jwe = try seal(for: key, "kid=a")
    #expect(try opened(jwe, with: key) == Self.text)
    for place in stride(from: 0, to: jwe.utf8.count, by: 5) {
      var changed = Array(jwe.utf8)
      guard changed[place] != UInt8(ascii: ".") else { continue }
      changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let text = String(decoding: changed, as: UTF8.self)
      #expect(throws: CryptoError.self, "byte \(place)") { _ = try opened(text, with: key) }
    }
    let other = try PrivateKey.generate(.p256)
    #expect(throws: CryptoError.authenticationFailed) { _ = try opened(jwe, with: other) }
  }

  @Test(
    "[OP-PARTNER-3] text is escaped, JSON and numbers are as they are",
    arguments: [(UInt64(0), "0"), (10, "10"), (.max, "18446744073709551615")])
  func payload(number: UInt64, digits: String) throws {
    let name = Array("A \"B\" \u{1}\\ é".utf8)
    let list = Array(#"[{"a":1}]"#.utf8)
    let room =
      PartnerPayload.capacity(of: "name", name.span)
      + PartnerPayload.capacity(of: "list", list.span) + 40
    var payload = try PartnerPayload(capacity: room)
    payload.add("name", text: name.span)
    payload.add("list", json: list.span)
    payload.add("n", number: number)
    let finished = try payload.finish()
    let text = finished.bytes.array
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"name":"A \"B\" \u0001\\ é","list":[{"a":1}],"n":\#(digits)}"#)
  }
}
