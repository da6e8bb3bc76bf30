@testable import KeyStore
import CryptoBackend
import Encoding
import Foundation
import SecretMemory
import TestSupport
import Testing

private let directory = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"]

/// A store for `Tests/interop/psec_blocks.py` to recover without any of our code.
@Suite(.enabled(if: directory != nil, "run by Tests/interop/psec_blocks.py")) struct PsecInteropStoreTests {
  struct Expected: Encodable {
    let kek: String
    /// Key data by id.
    let keys: [String: String]
  }

  @Test func aStoreForPsec() throws {
    try #require(TestArena.ready)
    let parent = try #require(directory)
    let store = try LockedKeyStore.create("keys", in: parent, kek: Scene.kek(), kind: .rehearsal, at: Scene.now)
      .unlock(kek: Scene.kek(), expecting: .rehearsal)
    let rsa = try PrivateKey.generate(.rsa(bits: 2048))
    let request = KeyImport(
      label: try #require(KeyLabel("merchant/acme/rsa")), role: .merchantProcessingRSA, material: .privateKey(rsa),
      merchant: MerchantIdentifier(Fixture.merchant))
    let (ec, other) = (
      try store.importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1)), try store.importKey(request, at: Scene.now, anchor: Scene.anchor(2))
    )
    let expected = Expected(
      kek: try Hex.encode(plain(Scene.kek())),
      keys: [ec.id.hex: try Hex.encode(plain(Fixture.ecKey().serialised())), other.id.hex: try Hex.encode(plain(rsa.serialised()))])
    try JSONEncoder().encode(expected).write(to: URL(fileURLWithPath: parent).appendingPathComponent("expected.json"))
  }
}
