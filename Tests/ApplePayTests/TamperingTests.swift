import ApplePay
import CryptoBackend
import Encoding
import TestSupport
import Testing

/// Flips every byte of a token that Apple signed. What Apple's signature does not cover, our readers accept in one form
/// only, so no exception is listed here: there is none.
@Suite("Tampering", .enabled(if: Vectors.present, "needs ../shared/vectors"))
struct TamperingTests {
  static let tokens = ["gala-2023-mc", "gala-2014-visa", "basistheory-rsa"]

  /// Another bit in each byte; every bit of every byte takes a minute, and was refused.
  @Test("with any byte of the signature is refused", arguments: tokens)
  func signature(_ name: String) throws {
    let stages = try refusals(name, \.signature)
    #expect(stages.isSuperset(of: [.cms, .chain, .signer, .algorithm, .signedAttributes, .signature]))
    #expect(
      stages.isSubset(of: [
        .cms, .leafMarker, .intermediateMarker, .extraCertificate, .chain, .signer, .algorithm, .signedAttributes, .messageDigest, .signature,
      ]))
  }

  @Test("with any byte of what is signed is refused by its digest", arguments: tokens)
  func signed(_ name: String) throws {
    let keySource = name.hasSuffix("rsa") ? \TokenFields.wrappedKey : \.ephemeralPublicKey
    for field in [keySource, \.data, \.transactionID] {
      #expect(try refusals(name, field) == [.messageDigest])
    }
  }

  @Test("with any byte of the public key's hash, which is not signed, is refused by it", arguments: tokens)
  func publicKeyHash(_ name: String) throws { #expect(try refusals(name, \.publicKeyHash) == [.publicKeyHash]) }

  @Test("by adding application data, or the other version's name, is refused", arguments: tokens)
  func additions(_ name: String) throws {
    let token = try #require(TokenCase.vectors("tokens").first { $0.name == name })
    var fields = token.fields
    fields.applicationData = .init(repeating: 0, count: 32)
    #expect(throws: TokenError.rejected(.messageDigest)) { try fields.verify(token.verifier(), now: token.clock) }
    fields = token.fields
    fields.version = fields.version == .ecV1 ? .rsaV1 : .ecV1
    #expect(throws: TokenError.rejected(.version)) { try fields.verify(token.verifier(), now: token.clock) }
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

  /// The stages at which the token was refused, one bit of each byte of `field` changed at a time.
  private func refusals(_ name: String, _ field: WritableKeyPath<TokenFields, [UInt8]>) throws -> Set<TokenRejection> {
    let token = try #require(TokenCase.vectors("tokens").first { $0.name == name })
    let (verifier, key, merchant) = (try token.verifier(), try token.key(), try #require(token.merchant))
    var stages: Set<TokenRejection> = []
    for i in token.fields[keyPath: field].indices {
      var fields = token.fields
      fields[keyPath: field][i] ^= 1 << (i % 8)
      do {
        _ = try fields.open(verifier, key: key, identifierHash: merchant.identifierHash, now: token.clock)
        Issue.record("opens with byte \(i) changed")
      } catch TokenError.rejected(let stage) {
        stages.insert(stage)
      }
    }
    return stages
  }
}
