@testable import ApplePay
import CryptoBackend
import Encoding
import TestSupport
import Testing

@Suite("Chain cache")
struct ChainCacheTests {
  private static let capacity = 64

  @Test("verifies a chain once, remembers so many, and lets the oldest go first")
  func bounded() throws {
    let chain = try Self.chain()
    let cache = ChainCache<VerifiedChain>()
    var verified = 0
    func ask(_ i: Int) throws {
      _ = try cache.chain(SHA256.hash(Array("\(i)".utf8))) { () throws(TokenError) in
        verified += 1
        return chain
      }
    }
    for i in 0..<Self.capacity { try ask(i) }
    for i in 0..<Self.capacity { try ask(i) }
    #expect(verified == Self.capacity)
    try ask(1000)
    #expect(cache.count == Self.capacity)
    try ask(1)
    #expect(verified == Self.capacity + 1)
    try ask(0)
    #expect(verified == Self.capacity + 2)
    #expect(cache.count == Self.capacity)
  }

  @Test("does not remember a chain that was refused")
  func refused() throws {
    let cache = ChainCache<VerifiedChain>()
    for _ in 0..<2 {
      #expect(throws: TokenError.rejected(.chain)) { try cache.chain(SHA256.hash([])) { () throws(TokenError) in throw .rejected(.chain) } }
    }
    #expect(cache.count == 0)
    let token = try TokenCase.fixture("own-intermediate")
    let verifier = try token.verifier()
    #expect(throws: TokenError.rejected(.chain)) { try token.fields.verify(verifier, now: token.clock) }
    #expect(verifier.chains.count == 0)
  }

  @Test("checks windows and algorithms for each token, remembered or not")
  func rechecked() throws {
    let token = try TokenCase.fixture("expired-leaf")
    let verifier = try token.verifier()
    for _ in 0..<2 {
      #expect(throws: TokenError.rejected(.certificateValidity)) { try token.fields.verify(verifier, now: token.clock) }
    }
    #expect(verifier.chains.count == 1)
  }

  @Test("serves threads")
  func threads() async throws {
    let chain = try Self.chain()
    let cache = ChainCache<VerifiedChain>()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for i in 0..<200 { _ = try? cache.chain(SHA256.hash([UInt8(i % 100), UInt8(worker % 2)])) { () throws(TokenError) in chain } }
        }
      }
    }
    #expect(cache.count == Self.capacity)
  }

  private static func chain() throws -> VerifiedChain {
    try #require(TestArena.ready)
    let token = try TokenCase.fixture("ec")
    let root = try #require(token.root)
    return try VerifiedChain(SignedData(token.fields.signature.span).certificates, anchor: TrustAnchor(Certificate(der: root)), .none)
  }
}

@Suite("Token rejections")
struct TokenRejectionTests {
  /// `Wire.Stage` writes the same names in the same order, with the replay guard's between two of them.
  @Test("are named and ordered as the audit log has them")
  func order() {
    #expect(
      TokenRejection.allCases.map(\.name) == [
        "format", "version", "cms", "leaf-marker", "intermediate-marker", "extra-certificate", "chain", "signer", "algorithm", "signed-attributes",
        "message-digest", "signature", "certificate-validity", "signing-time", "public-key-hash", "key-agreement", "tag", "plaintext", "expectation",
      ])
  }
}
