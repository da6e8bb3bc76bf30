import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import KeyStore

/// What the specification promises of stores that were written long ago.
@Suite struct GoldenTests {
  private let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("proto/vectors/keystore-v1")

  init() throws { try #require(TestArena.ready) }

  private func withCopy(_ body: (String) throws -> Void) throws {
    try withTemporaryDirectory { parent in
      try FileManager.default.copyItem(atPath: golden.path, toPath: parent + "/keys")
      try body(parent + "/keys")
    }
  }

  @Test func aStoreOfVersion1Opens() throws {
    try withCopy { path in
      let locked = try LockedKeyStore.open(path)
      let store = try locked.unlock(kek: Scene.kek(), expecting: .rehearsal)
      #expect(
        store.records.map(\.label.text) == [
          "audit/digest", "audit/signing", "merchant/acme/processing-2026", "merchant/acme/rsa",
        ])
      #expect((store.generation, store.anchor, store.strays) == (3, Scene.anchor(2), []))
      #expect(store.records.allSatisfy { $0.state == .active && $0.created == Scene.now })
      let passphrase = PassphraseTests.passphrase
      let again = try locked.unlock(passphrase: passphrase.span, expecting: .rehearsal)
      #expect(again.records == store.records)
    }
  }

  @Test func aProductionDaemonRefusesIt() throws {
    try withCopy { path in
      let locked = try LockedKeyStore.open(path)
      #expect(throws: KeyStoreError.wrongKind(.rehearsal)) {
        try locked.unlock(kek: Scene.kek(), expecting: .production)
      }
    }
  }

  /// [KS-DERIVE] The worked value of proto/KEYSTORE.md.
  @Test func theDerivedKeysAreTheSpecifications() throws {
    let (kbpk, manifest) = try Scene.storeKeys()
    #expect(Hex.encode(kbpk) == "44722243914ade0e61ff0966047155456b6ed33c7279a2f268420cad86905bc1")
    #expect(
      Hex.encode(manifest) == "6f4a6589859898e8cf25a14b8c71a23887dd377e6ba0c75b57cfe0dd5019f2bc")
    let kek = try plain(Scene.kek())
    let check = try KeyCheckValue.aes(kek.span)
    #expect(check.description == "377822 C093")
  }
}
