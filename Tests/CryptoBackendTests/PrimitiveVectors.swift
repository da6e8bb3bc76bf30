import Crypto
import Format
import Host
import TestSupport
import Testing

/// The published cases of what callers can ask for directly, each through the call that serves it.
@Suite(.enabled(if: Vectors.present, "no test vectors")) struct PrimitiveVectors {
  @Test(arguments: [
    (
      "ecdsa_secp256r1_sha256", SignatureChoice.ecdsaP256SHA256,
      ["valid: true": 174, "invalid: false": 310]
    ),
    (
      "ecdsa_secp256r1_sha256_p1363", .ecdsaP256SHA256Fixed,
      ["valid: true": 173, "invalid: false": 89]
    ),
    ("ecdsa_secp384r1_sha384", .ecdsaP384SHA384, ["valid: true": 194, "invalid: false": 310]),
    ("ed25519", .ed25519, ["valid: true": 88, "invalid: false": 63]),
    // As in SignatureVectors: NULL left out, and keys with an exponent of 3.
    (
      "rsa_signature_2048_sha256", .rsaPKCS1SHA256,
      ["valid: true": 7, "invalid: false": 249, "acceptable: false": 1, "valid: key refused": 2]
    ),
    ("rsa_pss_2048_sha256_mgf1_32", .rsaPSSSHA256, ["valid: true": 63, "invalid: false": 45]),
  ])
  func wycheproof(_ file: String, _ scheme: SignatureChoice, _ expected: [String: Int]) throws {
    try #require(TestArena.ready)
    var messages = Tally()
    var digests = Tally()
    for (group, test) in try Vectors.wycheproof(file) {
      let result = try test.text("result")
      let message = try test.bytes("msg"), signature = try test.bytes("sig"),
        spki = try group.bytes("publicKeyDer")
      guard let key = try? PublicKey(spki: spki) else {
        messages.add("\(result): key refused")
        digests.add("\(result): key refused")
        continue
      }
      messages.add(
        "\(result): \(try key.verify(signature.span, over: message.span, .message, scheme))")
      guard let digest = try scheme.hash?.hash(message.span) else { continue }
      digests.add(
        "\(result): \(try key.verify(signature.span, over: digest.span, .digest, scheme))")
    }
    #expect(messages.counts == expected)
    if scheme != .ed25519 { #expect(digests.counts == expected) }
  }

  /// RFC 6979's P-256 and P-384 keys sign what verifies in every scheme of theirs, in both forms.
  @Test func fixedWidthIsTheSameSignature() throws {
    try #require(TestArena.ready)
    for (kind, der, fixed, width) in [
      (KeyKind.p256, SignatureChoice.ecdsaP256SHA256, SignatureChoice.ecdsaP256SHA256Fixed, 64),
      (.p384, .ecdsaP384SHA384, .ecdsaP384SHA384Fixed, 96),
    ] {
      let key = try PrivateKey.generate(kind)
      let message = Array("either form".utf8)
      // Often enough that some r or s begins with a zero byte.
      for _ in 0..<600 {
        let signature = try key.sign(message.span, .message, fixed)
        #expect(signature.count == width)
        let encoded = signatureDER(
          Array(signature.prefix(width / 2)), Array(signature.suffix(width / 2)))
        let isGood = try key.publicKey.verify(encoded.span, over: message.span, .message, der)
        #expect(isGood)
      }
    }
  }

  /// CAVP: 20 cases of each hash; SHA-1 and SHA-224 are not offered.
  @Test func x963() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    var hash: HashAlgorithm?
    for (section, test) in try sections("nist/cavp/KDF/ansx963_2001.txt") {
      if section.hasPrefix("SHA") { hash = HashAlgorithm.allCases.first { $0.name == section } }
      guard test.has("key_data") else { continue }
      guard let hash else {
        tally.add("not offered")
        continue
      }
      let expected = try test.bytes("key_data")
      let derived = try derive(
        KeyDerivation(.x963, hash), test.bytes("Z"), test.bytes("SharedInfo"), count: expected.count
      )
      tally.add("\(hash.name): \(derived == expected)")
      let swapped = try derive(
        KeyDerivation(.oneStep, hash), test.bytes("Z"), test.bytes("SharedInfo"),
        count: expected.count)
      tally.add("one-step: \(swapped == expected)")
    }
    #expect(
      tally.counts == [
        "SHA-256: true": 20, "SHA-384: true": 20, "SHA-512: true": 20, "one-step: false": 60,
        "not offered": 40,
      ])
  }

  /// Botan's one-step sections of the hashes we offer.
  @Test func oneStepBotan() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (section, test) in try Vectors.blocks("nist/botan/sp800_56a.vec") {
      guard let hash = HashAlgorithm.allCases.first(where: { section == "SP800-56A(\($0.name))" })
      else {
        tally.add("not offered")
        continue
      }
      let expected = try test.bytes("Output")
      tally.add(
        "\(hash.name): \(try derive(KeyDerivation(.oneStep, hash), test.bytes("Secret"), test.bytes("Label"), count: expected.count) == expected)"
      )
    }
    #expect(
      tally.counts == [
        "SHA-256: true": 47, "SHA-384: true": 47, "SHA-512: true": 51, "not offered": 376,
      ])
  }

  /// NIST's server through AWS-LC: ten derivations of each hash.
  @Test func oneStepACVP() throws {
    try #require(TestArena.ready)
    var answers: [Int: VectorCase] = [:]
    for (_, test) in try Vectors.grouped("nist/aws-lc/KDA-OneStep.expected.json") {
      answers[try test.number("tcId")] = test
    }
    var tally = Tally()
    for (group, test) in try Vectors.grouped("nist/aws-lc/KDA-OneStep.prompt.json") {
      let name = try group.object("kdfConfiguration").text("auxFunction")
      guard
        let hash = HashAlgorithm.allCases.first(where: { "SHA2-" + $0.name.dropFirst(4) == name })
      else {
        tally.add("not offered")
        continue
      }
      let answer = try #require(answers[test.number("tcId")])
      let isMade = try group.text("testType") == "AFT"
      let expected = isMade ? try answer.bytes("dkm") : try test.bytes("dkm")
      let info = try party(test.object("fixedInfoPartyU")) + party(test.object("fixedInfoPartyV"))
      let isEqual =
        try derive(
          KeyDerivation(.oneStep, hash), test.object("kdfParameter").bytes("z"), info,
          count: expected.count) == expected
      tally.add("\(hash.name): \(try isMade ? isEqual : isEqual == answer.flag("testPassed"))")
    }
    #expect(
      tally.counts == [
        "SHA-256: true": 10, "SHA-384: true": 10, "SHA-512: true": 10, "not offered": 20,
      ])
  }

  @Test func hkdf() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof("hkdf_sha256") {
      let secret = try test.bytes("ikm")
      let salt = try test.bytes("salt")
      let info = try test.bytes("info")
      let result = try test.text("result")
      let expected = try test.bytes("okm")
      let size = try test.number("size")
      do throws(CryptoError) {
        let derived = try KeyDerivation(.hkdf, .sha256).derive(
          secret: secret.span, info: info.span, salt: salt.span, count: size)
        tally.add("\(result): \(derived.bytes.array == expected)")
      } catch { tally.add("\(result): \(error)") }
    }
    #expect(tally.counts == ["valid: true": 83, "invalid: invalidInput": 3])
  }

  /// Tags of 32 and of 16 bytes, each compared at its stated length.
  @Test func hmac() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (group, test) in try Vectors.wycheproof("hmac_sha256") {
      let key = try test.bytes("key")
      let message = try test.bytes("msg")
      let tag = try test.bytes("tag")
      let size = try group.number("tagSize") / 8
      let whole = try HMAC.authenticate(.sha256, key: key.span, message.span)
      let result = try test.text("result")
      tally.add("\(size) \(result): \(whole.bytes.extracting(first: size).array == tag)")
    }
    #expect(
      tally.counts == [
        "32 valid: true": 33, "32 invalid: false": 54, "16 valid: true": 33,
        "16 invalid: false": 54,
      ])
  }

  /// RFC 4231, test cases 1 to 4, 6 and 7.
  @Test func hmacOfLongerHashes() throws {
    try #require(TestArena.ready)
    let key = [UInt8](repeating: 0x0B, count: 20)
    let message = Array("Hi There".utf8)
    let sha384 = try HMAC.authenticate(.sha384, key: key.span, message.span)
    let sha512 = try HMAC.authenticate(.sha512, key: key.span, message.span)
    #expect(
      Hex.encode(sha384.bytes)
        == "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6"
    )
    #expect(
      Hex.encode(sha512.bytes)
        == "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
    )
  }

  /// The tags of NIST's CMAC file are cut to what each group states.
  @Test func cmacCut() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (group, test) in try Vectors.grouped("nist/acvp/CMAC-AES-1.0.json") {
      let key = try test.bytes("key")
      let message = try test.bytes("message")
      let tag = try test.bytes("mac")
      let size = try group.number("macLen") / 8
      let whole = try BlockCipher.aes.secretCMAC(key: key.span, message: message.span)
      let isEqual = whole.bytes.extracting(first: size).array == tag
      let isMade = try group.text("direction") == "gen"
      tally.add(isMade ? "made: \(isEqual)" : "judged: \(isEqual == (try test.flag("testPassed")))")
    }
    #expect(tally.counts == ["made: true": 48, "judged: true": 120])
  }

  /// P-384 as primitives reach it: the peer as it came.
  @Test func ecdhP384() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof("ecdh_secp384r1_ecpoint") {
      let key = try privateKey(scalar: fixed(test.bytes("private"), 48), kind: .p384)
      let peer = try test.bytes("public")
      let expected = try test.bytes("shared")
      let result = try test.text("result")
      do throws(CryptoError) {
        let z = try key.agree(withPeer: peer.span)
        tally.add("\(result): \(z.bytes.array == expected)")
      } catch { tally.add("\(result): \(error)") }
    }
    #expect(
      tally.counts == [
        "valid: true": 771, "invalid: invalidPoint": 18, "acceptable: invalidPoint": 1,
      ])
  }

  private func derive(_ derivation: KeyDerivation, _ secret: [UInt8], _ info: [UInt8], count: Int)
    throws -> [UInt8]
  {
    let none: [UInt8] = []
    let derived = try derivation.derive(
      secret: secret.span, info: info.span, salt: none.span, count: count)
    return derived.bytes.array
  }

  private func party(_ party: VectorCase) throws -> [UInt8] {
    try party.bytes("partyId") + (party.has("ephemeralData") ? party.bytes("ephemeralData") : [])
  }

  /// Blocks, and the sections between them as blocks without fields: a file may name its hash in a
  /// section of its own.
  private func sections(_ path: String) throws -> [(section: String, test: VectorCase)] {
    var found: [(section: String, test: VectorCase)] = []
    var fields: [String: Any] = [:]
    for raw in String(decoding: try Vectors.data(path), as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    {
      let line = String(raw.drop { $0 == "\t" || $0 == " " })
      if line.hasPrefix("[") {
        found.append((String(line.dropFirst().dropLast()), VectorCase([:])))
      } else if let equals = line.firstIndex(of: "=") {
        let value = String(line[line.index(after: equals)...].drop { $0 == " " })
        fields[String(line[..<equals].prefix { $0 != " " })] = value
      } else if line.isEmpty {
        if !fields.isEmpty { found.append(("", VectorCase(fields))) }
        fields = [:]
      }
    }
    if !fields.isEmpty { found.append(("", VectorCase(fields))) }
    return found
  }
}

@Suite struct EnvelopeTests {
  @Test func opensOnlyUnderItsKeyHeaderAndData() throws {
    try #require(TestArena.ready)
    let key = [UInt8](repeating: 1, count: 32), id = [UInt8](repeating: 2, count: 16),
      aad: [UInt8] = [3]
    let text = Array("text".utf8)
    let sealed = try Envelope.seal(text.span, key: key.span, id: id.span, associatedData: aad.span)
    #expect(sealed.count == text.count + Envelope.overhead)
    #expect(try opened(sealed, key, aad) == .success(text))
    for place in sealed.indices where place > 0 {
      var changed = sealed
      changed[place] ^= 1
      #expect(try opened(changed, key, aad) == .failure(.authenticationFailed))
    }
    #expect(try opened([2] + sealed.dropFirst(), key, aad) == .failure(.invalidInput))
    #expect(try opened(Array(sealed.prefix(44)), key, aad) == .failure(.invalidInput))
    #expect(
      try opened(sealed, [UInt8](repeating: 9, count: 32), aad) == .failure(.authenticationFailed))
    #expect(try opened(sealed, Array(key.dropLast()), aad) == .failure(.invalidInput))
    #expect(try opened(sealed, key, []) == .failure(.authenticationFailed))
  }

  private func opened(_ sealed: [UInt8], _ key: [UInt8], _ aad: [UInt8]) throws -> Result<
    [UInt8], CryptoError
  > {
    do throws(CryptoError) {
      let plaintext = try Envelope(sealed.span).open(key: key.span, associatedData: aad.span)
      return .success(plaintext.bytes.array)
    } catch { return .failure(error) }
  }
}
