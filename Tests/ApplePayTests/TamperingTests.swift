import ApplePay
import Crypto
import Format
import TestSupport
import Testing

/// Flips every byte of a token that Apple signed. What Apple's signature does not cover, our
/// readers accept in one form only, so no exception is listed here: there is none.
@Suite("Tampering", .enabled(if: Vectors.present, "needs ../shared/vectors"))
struct TamperingTests {
  static let tokens = ["gala-2023-mc", "gala-2014-visa", "basistheory-rsa"]

  /// Another bit in each byte; every bit of every byte takes a minute, and was refused.
  @Test("with any byte of the signature is refused", arguments: tokens)
  func signature(_ name: String) throws {
    let stages = try refusals(name, \.signature)
    #expect(
      stages.isSuperset(of: [.cms, .chain, .signer, .algorithm, .signedAttributes, .signature]))
    #expect(
      stages.isSubset(of: [
        .cms, .leafMarker, .intermediateMarker, .extraCertificate, .chain, .signer, .algorithm,
        .signedAttributes, .messageDigest, .signature,
      ]))
  }

  @Test("with any byte of what is signed is refused by its digest", arguments: tokens)
  func signed(_ name: String) throws {
    let keySource = name.hasSuffix("rsa") ? \TokenFields.wrappedKey : \.ephemeralPublicKey
    for field in [keySource, \.data, \.transactionID] {
      #expect(try refusals(name, field) == [.messageDigest])
    }
  }

  @Test(
    "with any byte of the public key's hash, which is not signed, is refused by it",
    arguments: tokens)
  func publicKeyHash(_ name: String) throws {
    #expect(try refusals(name, \.publicKeyHash) == [.publicKeyHash])
  }

  @Test("by adding application data, or the other version's name, is refused", arguments: tokens)
  func additions(_ name: String) throws {
    let token = try #require(TokenCase.vectors("tokens").first { $0.name == name })
    var fields = token.fields
    fields.applicationData = .init(repeating: 0, count: 32)
    #expect(throws: TokenError.rejected(.messageDigest)) {
      try fields.verify(token.verifier(), now: token.clock)
    }
    fields = token.fields
    fields.version = fields.version == .ecV1 ? .rsaV1 : .ecV1
    #expect(throws: TokenError.rejected(.version)) {
      try fields.verify(token.verifier(), now: token.clock)
    }
  }

  @Test(
    "[OP-VERIFY-1] by moving the end of the data on: the signature still verifies, and only opening refuses it"
  )
  func shifted() throws {
    for name in ["gala-2023-mc", "gala-2014-visa"] {
      let token = try #require(TokenCase.vectors("tokens").first { $0.name == name })
      let verifier = try token.verifier()
      let key = try token.key()
      let merchant = try #require(token.merchant)
      var fields = token.fields
      try #require(fields.applicationData.isEmpty)
      fields.applicationData = fields.transactionID
      fields.transactionID = fields.data.suffix(32)
      fields.data.removeLast(32)
      #expect(
        try fields.verify(verifier, now: token.clock)
          == token.fields.verify(verifier, now: token.clock))
      #expect(throws: TokenError.rejected(.tag)) {
        _ = try fields.open(
          verifier, key: key, identifierHash: merchant.identifierHash, now: token.clock)
      }
    }
  }

  @Test("[OP-VERIFY-1] by moving the end of an RSA_v1 token's key on is refused by its size")
  func shiftedKey() throws {
    let token = try #require(TokenCase.vectors("tokens").first { $0.name == "basistheory-rsa" })
    for count in [1, 128, 256] {
      var fields = token.fields
      fields.wrappedKey += fields.data.prefix(count)
      fields.data.removeFirst(count)
      #expect(throws: TokenError.rejected(.format)) {
        _ = try fields.verify(token.verifier(), now: token.clock)
      }
    }
  }

  @Test("by cutting the signature short anywhere is refused", arguments: tokens)
  func truncation(_ name: String) throws {
    let token = try #require(TokenCase.vectors("tokens").first { $0.name == name })
    let verifier = try token.verifier()
    for end in 1..<token.fields.signature.count {
      var fields = token.fields
      fields.signature.removeSubrange(end...)
      #expect(throws: TokenError.rejected(.cms)) { try fields.verify(verifier, now: token.clock) }
    }
  }

  /// The stages at which the token was refused, one bit of a byte of `field` changed at a time: of
  /// one byte in four, and in the long form of each.
  private func refusals(_ name: String, _ field: WritableKeyPath<TokenFields, [UInt8]>) throws
    -> Set<TokenRejection>
  {
    let token = try #require(TokenCase.vectors("tokens").first { $0.name == name })
    let verifier = try token.verifier()
    let key = try token.key()
    let merchant = try #require(token.merchant)
    var stages: Set<TokenRejection> = []
    for i in LongForm.indices(of: token.fields[keyPath: field], oneIn: 4, from: name.count) {
      var fields = token.fields
      fields[keyPath: field][i] ^= 1 << (i % 8)
      do {
        _ = try fields.open(
          verifier, key: key, identifierHash: merchant.identifierHash, now: token.clock)
        Issue.record("opens with byte \(i) changed")
      } catch TokenError.rejected(let stage) {
        stages.insert(stage)
      }
    }
    return stages
  }
}
