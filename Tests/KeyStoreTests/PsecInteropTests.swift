import CryptoBackend
import Encoding
import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import KeyStore

/// A store for `Tests/interop/psec_blocks.py` to recover without any of our code.
@Suite struct PsecInteropStoreTests {
  struct Expected: Encodable {
    let kek: String
    /// Key data by id.
    let keys: [String: String]
  }

  @Test func aStoreForPsec() throws {
    try #require(TestArena.ready)
    guard let exchange = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"] else { return try withTemporaryDirectory(make) }
    try make(exchange)
  }

  private func make(_ parent: String) throws {
    let (passphrase, cost) = (PassphraseTests.passphrase, try #require(PassphraseCost(passes: 1, memory: 64 << 10)))
    let locked = try LockedKeyStore.create(
      "keys", in: parent, kek: Scene.kek(), passphrase: passphrase.span, cost: cost, kind: .rehearsal, at: Scene.now)
    let store = try locked.unlock(kek: Scene.kek(), expecting: .rehearsal)
    let rsa = try PrivateKey.generate(.rsa(bits: 2048))
    let request = KeyImport(
      label: try #require(KeyLabel("merchant/acme/rsa")), role: .merchantProcessingRSA, material: .privateKey(rsa),
      merchant: MerchantIdentifier(Fixture.merchant))
    let ecID = try store.importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1)).id
    let rsaID = try store.importKey(request, at: Scene.now, anchor: Scene.anchor(2)).id
    #expect(store.records.count == 4)
    let expected = Expected(
      kek: try Hex.encode(plain(Scene.kek())),
      keys: [ecID.hex: try Hex.encode(plain(Fixture.ecKey().serialised())), rsaID.hex: try Hex.encode(plain(rsa.serialised()))])
    try JSONEncoder().encode(expected).write(to: URL(fileURLWithPath: parent).appendingPathComponent("expected.json"))
  }
}
