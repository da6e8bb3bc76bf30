import Crypto
import Format
import Host
import TestSupport
import Testing
@testable import ApplePay

@Suite("Tokens that Apple signed", .enabled(if: Vectors.present, "needs ../shared/vectors"))
struct TokenVectorTests {
  @Test("are all there")
  func counts() {
    #expect(TokenCase.vectors("tokens").count == 6)
    #expect(TokenCase.vectors("signature-only").count == 2)
    #expect(TokenCase.vectors("negative").count == 2)
  }

  @Test(
    "verify at their clock and open to the recorded plaintext",
    arguments: TokenCase.vectors("tokens"))
  func opens(_ token: TokenCase) throws {
    #expect(try token.fields.verify(token.verifier(), now: token.clock) == token.clock)
    #expect(try token.open() == token.plaintext)
  }

  @Test("need at most half of a secret stack", arguments: TokenCase.vectors("tokens"))
  func stack(_ token: TokenCase) throws {
    let depth = try StackDepth.of { _ = try token.open() }
    print("soak: stack of an opening = \(depth)")
    #expect(depth <= SecretStack.byteCount / 2)
  }

  @Test("verify without a key", arguments: TokenCase.vectors("signature-only"))
  func verifies(_ token: TokenCase) throws {
    #expect(try token.fields.verify(token.verifier(), now: token.clock) == token.clock)
  }

  @Test("are refused at the recorded stage", arguments: TokenCase.vectors("negative"))
  func refused(_ token: TokenCase) throws {
    let stages: [String: TokenRejection] = [
      "cms-attached": .cms, "public-key-hash": .publicKeyHash,
    ]
    let expected = try #require(stages[token.stage])
    #expect(throws: TokenError.rejected(expected)) {
      if token.merchant == nil {
        _ = try token.fields.verify(token.verifier(), now: token.clock)
      } else {
        _ = try token.open()
      }
    }
  }

  @Test("are refused today", arguments: TokenCase.vectors("tokens"))
  func stale(_ token: TokenCase) throws {
    #expect(throws: TokenError.rejected(.signingTime)) {
      try token.fields.verify(token.verifier(), now: token.clock.adding(seconds: 86_400))
    }
  }

  @Test(
    "do not verify under another root, even one that calls itself Apple's",
    arguments: TokenCase.vectors("tokens"))
  func otherRoot(_ token: TokenCase) throws {
    let verifier = try TokenCase.fixture("ec").verifier()
    #expect(throws: TokenError.rejected(.chain)) {
      try token.fields.verify(verifier, now: token.clock)
    }
  }

  @Test("end at the anchor that is built in")
  func anchor() throws {
    try #require(TestArena.ready)
    let certificate = try Certificate(der: Array(Vectors.data("applepay/certs/AppleRootCA-G3.cer")))
    let builtIn = try TrustAnchor.appleRootCAG3()
    let published = try TrustAnchor(certificate)
    #expect(builtIn.publicKey.spki == published.publicKey.spki)
    #expect(builtIn.subject == published.subject)
    #expect(builtIn.fingerprint == published.fingerprint)
    let merchant = try #require(
      try Vectors.json("applepay/tokens/gala-2023-mc.json")["merchant"] as? [String: Any])
    let pem = try #require(merchant["certificate"] as? String).split(separator: "\n").filter {
      !$0.hasPrefix("-----")
    }.joined()
    let leaf = try Certificate(der: try #require(Base64.decode(pem)))
    #expect(throws: CryptoError.invalidCertificate) { try TrustAnchor(leaf) }
  }

  @Test("cost their chain's verification once")
  func remembered() throws {
    let tokens = TokenCase.vectors("tokens") + TokenCase.vectors("signature-only")
    let verifier = try #require(tokens.first).verifier()
    for _ in 0..<2 {
      for token in tokens { _ = try token.fields.verify(verifier, now: token.clock) }
      #expect(
        verifier.chains.count == Set(try tokens.map { try signer(of: $0.fields.signature) }).count)
    }
  }
}

/// Issuer and serial number of the leaf, as the signature names it.
private func signer(of signature: [UInt8]) throws -> [UInt8] {
  let signed = try SignedData(signature.span)
  return signed.issuer.array + signed.serial.array
}
