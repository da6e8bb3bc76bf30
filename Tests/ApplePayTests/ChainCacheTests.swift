import Crypto
import Format
import TestSupport
import Testing
@testable import ApplePay

@Suite("Chain cache")
struct ChainCacheTests {
  private static let capacity = 64

  @Test("verifies a chain once, remembers so many, and lets the oldest go first")
  func bounded() throws {
    let cache = ChainCache<OneLeaf>()
    var verified = 0
    func ask(_ i: Int) throws {
      _ = try cache.chain(SHA256.hash(Array("\(i)".utf8))) { () throws(TokenError) in
        verified += 1
        return OneLeaf(leaf: Array("\(i)".utf8))
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

  @Test("a leaf that comes in many ways has one place, and keeps what it gained")
  func oneForEachLeaf() throws {
    let cache = ChainCache<OneLeaf>()
    func ask(_ i: Int, _ leaf: UInt8) throws -> OneLeaf {
      try cache.chain(SHA256.hash(Array("\(i)".utf8))) { () throws(TokenError) in
        OneLeaf(leaf: [leaf])
      }
    }
    for leaf in 0..<UInt8(Self.capacity) { #expect(try ask(Int(leaf), leaf).comings == 1) }
    for way in 0..<200 { #expect(try ask(1000 + way, 9).comings == way + 2) }
    #expect(try ask(1199, 9).comings == 201, "known as it came last")
    #expect(cache.count == Self.capacity)
    for leaf in 0..<UInt8(Self.capacity) where leaf != 9 {
      #expect(try ask(Int(leaf), leaf).comings == 1)
    }
  }

  @Test(
    "every way in which one token's certificates can be written has the same leaf, which counts on")
  func variants() throws {
    let token = try TokenCase.fixture("ec")
    let verifier = try token.verifier()
    let first = try VerifiedChain(
      SignedData(token.fields.signature.span).certificates,
      anchor: TrustAnchor(Certificate(der: #require(token.root))), .none)
    let cache = verifier.chains
    let kept = cache.chain(SHA256.hash([1])) { () throws(Never) in first }
    let again = try VerifiedChain(
      SignedData(token.fields.signature.span).certificates,
      anchor: TrustAnchor(Certificate(der: #require(token.root))), .none)
    #expect(again.leafKey !== first.leafKey)
    let next = cache.chain(SHA256.hash([2])) { () throws(Never) in again }
    #expect(next.leafKey === kept.leafKey && cache.count == 1)
    // A certificate of its own for the same key, as Apple made several: they share the key's table,
    // and each has its place.
    let tokens = ["gala-2014-visa", "gala-2023-mc"].compactMap { name in
      TokenCase.vectors("tokens").first { $0.name == name }
    }
    let apple = try #require(tokens.first).verifier()
    for token in tokens { _ = try token.fields.verify(apple, now: token.clock) }
    #expect(apple.chains.count == tokens.count)
    #expect(Set(apple.chains.all.map { ObjectIdentifier($0.leafKey) }).count == 1)
  }

  @Test("does not remember a chain that was refused")
  func refused() throws {
    let cache = ChainCache<VerifiedChain>()
    for _ in 0..<2 {
      #expect(throws: TokenError.rejected(.chain)) {
        try cache.chain(SHA256.hash([])) { () throws(TokenError) in throw .rejected(.chain) }
      }
    }
    #expect(cache.count == 0)
    let token = try TokenCase.fixture("own-intermediate")
    let verifier = try token.verifier()
    #expect(throws: TokenError.rejected(.chain)) {
      try token.fields.verify(verifier, now: token.clock)
    }
    #expect(verifier.chains.count == 0)
  }

  @Test("checks windows and algorithms for each token, remembered or not")
  func rechecked() throws {
    let token = try TokenCase.fixture("expired-leaf")
    let verifier = try token.verifier()
    for _ in 0..<2 {
      #expect(throws: TokenError.rejected(.certificateValidity)) {
        try token.fields.verify(verifier, now: token.clock)
      }
    }
    #expect(verifier.chains.count == 1)
  }

  @Test("serves threads")
  func threads() async throws {
    let cache = ChainCache<OneLeaf>()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for i in 0..<200 {
            let leaf = [UInt8(i % 100), UInt8(worker % 2)]
            _ = try? cache.chain(SHA256.hash(leaf)) { () throws(TokenError) in OneLeaf(leaf: leaf) }
          }
        }
      }
    }
    #expect(cache.count == Self.capacity)
  }
}

/// Counts how often its leaf has come in another way.
private struct OneLeaf: CacheableChain {
  let leaf: [UInt8]
  private(set) var comings = 1

  func sharing(with others: some Sequence<Self>) -> Self {
    var chain = self
    chain.comings += others.first { $0.leaf == leaf }?.comings ?? 0
    return chain
  }

  init(leaf: [UInt8]) { self.leaf = leaf }
}

@Suite("Token rejections")
struct TokenRejectionTests {
  /// `Wire.Stage` writes the same names in the same order, with the replay guard's between two of
  /// them.
  @Test("are named and ordered as the audit log has them")
  func order() {
    #expect(
      TokenRejection.allCases.map(\.name) == [
        "format", "version", "cms", "leaf-marker", "intermediate-marker", "extra-certificate",
        "chain", "signer", "algorithm", "signed-attributes",
        "message-digest", "signature", "certificate-validity", "signing-time", "public-key-hash",
        "key-agreement", "tag", "plaintext", "expectation",
      ])
  }
}
