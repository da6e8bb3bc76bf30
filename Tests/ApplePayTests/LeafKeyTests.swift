import Crypto
import Host
import TestSupport
import Testing
@testable import ApplePay

/// A leaf that signs many tokens gets a table, made where no request waits.
@Suite struct LeafKeyTests {
  @Test(
    "after so many signatures a table is asked for once; before and after, right ones are taken and wrong ones refused"
  ) func onceItPays() throws {
    let scene = try Scene(limit: 1)
    let leaf = LeafKey(scene.signer.publicKey, scene.tables)
    for _ in 1..<LeafKey.uses { #expect(scene.isTaken(by: leaf)) }
    #expect(scene.waiting.isEmpty)
    #expect(!scene.isTaken(by: leaf, message: [9]))
    #expect(scene.waiting.isEmpty, "a wrong signature counts")
    for _ in 0..<3 { #expect(scene.isTaken(by: leaf)) }
    #expect(scene.waiting.count == 1)
    scene.build()
    for _ in 0..<3 { #expect(scene.isTaken(by: leaf)) }
    #expect(!scene.isTaken(by: leaf, message: [9]))
    #expect(scene.waiting.isEmpty)
  }

  @Test("only so many leaves have one; the place of a leaf that is forgotten is free again")
  func bounded() throws {
    let scene = try Scene(limit: 1)
    var first: LeafKey? = LeafKey(scene.signer.publicKey, scene.tables)
    let second = LeafKey(scene.signer.publicKey, scene.tables)
    for _ in 0..<LeafKey.uses { _ = first.map { scene.isTaken(by: $0) } }
    for _ in 0..<LeafKey.uses + 2 { #expect(scene.isTaken(by: second)) }
    #expect(scene.waiting.count == 1)
    first = nil
    scene.build()
    #expect(scene.isTaken(by: second))
    #expect(scene.waiting.count == 1)
  }

  /// A table takes one piece of more than 128 KiB.
  @Test("a leaf whose table cannot be made goes on without, and its place is another's")
  func failed() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 20, allowMlockFallback: true)
      try CryptoBackend.start(arena: true)
      let scene = try Scene(limit: 1, isReady: true)
      var held: [SecretHolder] = []
      while let piece = try? SecretBuffer(count: 256 << 10) { held.append(SecretHolder(piece)) }
      let first = LeafKey(scene.signer.publicKey, scene.tables)
      let second = LeafKey(scene.signer.publicKey, scene.tables)
      for leaf in [first, second] {
        for _ in 0..<LeafKey.uses { #expect(scene.isTaken(by: leaf)) }
        #expect(scene.waiting.count == 1, "the place is held")
        scene.build()
        #expect(scene.isTaken(by: leaf) && !scene.isTaken(by: leaf, message: [9]))
        #expect(scene.waiting.isEmpty)
      }
      extendLifetime(held)
    }
  }

  @Test("a table that refuses what OpenSSL accepted does not serve, and its place is another's")
  func unproven() throws {
    let scene = try Scene(limit: 1)
    let first = LeafKey(scene.signer.publicKey, scene.tables)
    let second = LeafKey(scene.signer.publicKey, scene.tables)
    for _ in 0..<LeafKey.uses { #expect(scene.isTaken(by: first)) }
    first.makeTable([1, 2, 3], SHA256.hash([1, 2, 3]))
    #expect(scene.isTaken(by: first) && !scene.isTaken(by: first, message: [9]))
    for _ in 0..<LeafKey.uses { #expect(scene.isTaken(by: second)) }
    #expect(scene.waiting.count == 2, "the first one's place is free")
  }

  @Test("an RSA leaf never asks") func rsa() throws {
    try #require(TestArena.ready)
    let scene = try Scene(limit: 1, kind: .rsa(bits: 2048))
    let leaf = LeafKey(scene.signer.publicKey, scene.tables)
    for _ in 0..<LeafKey.uses + 2 { #expect(scene.isTaken(by: leaf)) }
    #expect(scene.waiting.isEmpty)
  }
}

private final class Scene {
  private final class Waiting: @unchecked Sendable { var actions: [@Sendable () -> Void] = [] }

  let signer: PrivateKey
  let tables: LeafTables
  private let signature: [UInt8]
  private let list = Waiting()

  init(limit: Int, kind: KeyKind = .p256, isReady: Bool = TestArena.ready) throws {
    try #require(isReady)
    signer = try PrivateKey.generate(kind)
    signature = try signer.sign([1, 2, 3].span)
    tables = LeafTables(limit: limit) { [list] action in list.actions.append(action) }
  }

  var waiting: [@Sendable () -> Void] { list.actions }

  func build() {
    let actions = list.actions
    list.actions = []
    for action in actions { action() }
  }

  func isTaken(by leaf: LeafKey, message: [UInt8] = [1, 2, 3]) -> Bool {
    let signature = signature
    return leaf.verify(signature: signature.span, message: message.span)
  }
}

private final class SecretHolder {
  private let secret: SecretBuffer
  init(_ secret: consuming SecretBuffer) { self.secret = secret }
}
