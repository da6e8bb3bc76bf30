import Crypto
import Format
import Policy
import KeyStore
import Operations
import ServiceHarness
import TestSupport
import Testing

@Suite struct SealingTests {
  static let text = Array("the text".utf8)
  static let aad = Array("for this alone".utf8)

  @Test("[OP-SEAL-1] [OP-SEAL-2] an envelope names its key, has a new nonce each time, and opens")
  func roundTrip() throws {
    let scene = try PrimitiveScene()
    let id = scene.key(.sealing)
    for plaintext in [[], Self.text, [UInt8](repeating: 7, count: 65536)] {
      let envelope = try scene.ask(.seal, id, Body.seal(plaintext, aad: Self.aad)).sealed
      #expect(
        envelope.count == plaintext.count + 45 && envelope[0] == 1
          && Array(envelope[1..<17]) == id.bytes)
      let opened = try scene.ask(.unseal, id, Body.unseal(envelope, aad: Self.aad))
      #expect(opened == "ok")
      #expect(try opened.plaintext == plaintext)
    }
    let nonces = try (0..<64).map { _ in
      Array(try scene.ask(.seal, id, Body.seal(Self.text)).sealed[17..<29])
    }
    #expect(Set(nonces).count == 64)
  }

  @Test("[OP-UNSEAL-1] not a bit of it can be changed") func tampering() throws {
    let scene = try PrimitiveScene()
    let id = scene.key(.sealing)
    let envelope = try scene.ask(.seal, id, Body.seal(Self.text, aad: Self.aad)).sealed
    for place in envelope.indices {
      var changed = envelope
      changed[place] ^= 0x80
      let outcome = try scene.ask(.unseal, id, Body.unseal(changed, aad: Self.aad))
      #expect(outcome == (place < 17 ? "envelope" : "tag"), "byte \(place)")
    }
    for count in [0, 1, 16, 44] {
      #expect(
        try scene.ask(.unseal, id, Body.unseal(Array(envelope.prefix(count)), aad: Self.aad))
          == "envelope")
    }
    #expect(
      try scene.ask(.unseal, id, Body.unseal(Array(envelope.dropLast()), aad: Self.aad)) == "tag")
    #expect(try scene.ask(.unseal, id, Body.unseal(envelope + [0], aad: Self.aad)) == "tag")
    for aad in [[], Array(Self.aad.dropLast()), Self.aad + [0]] {
      #expect(try scene.ask(.unseal, id, Body.unseal(envelope, aad: aad)) == "tag")
    }
    #expect(
      try scene.ask(.unseal, scene.otherSealing, Body.unseal(envelope, aad: Self.aad)) == "envelope"
    )
    // Also where the envelope is made to name the other key.
    let renamed = [1] + scene.otherSealing.bytes + envelope[17...]
    #expect(
      try scene.ask(.unseal, scene.otherSealing, Body.unseal(renamed, aad: Self.aad)) == "tag")
  }

  @Test("[OP-SEAL-4] [OP-UNSEAL-3] a stored key takes either envelopes or others' IVs") func ivs()
    throws
  {
    let scene = try PrimitiveScene()
    let iv = [UInt8](repeating: 0, count: 12)
    let sealing = scene.key(.sealing)
    let unsealing = scene.key(.unsealing)
    let envelope = try scene.ask(.seal, sealing, Body.seal(Self.text)).sealed
    #expect(try scene.ask(.seal, sealing, Self.withNonce([], iv)) == "malformed")
    #expect(
      try scene.ask(
        .unseal, sealing, Body.unseal(Array(envelope[29...]), iv: Array(envelope[17..<29])))
        == "parameters")
    #expect(try scene.ask(.unseal, unsealing, Body.unseal(envelope)) == "parameters")
    #expect(try scene.ask(.unseal, unsealing, Body.unseal(Self.text, iv: iv)) == "parameters")
    #expect(
      try scene.ask(.unseal, unsealing, Body.unseal([UInt8](repeating: 0, count: 16), iv: iv))
        == "tag")
    #expect(try scene.ask(.seal, unsealing, Body.seal(Self.text)) == "denied")
  }

  @Test(
    "[OP-UNSEAL-2] what others sealed under 12 or 16 bytes of IV opens under a stored key",
    arguments: [12, 16]) func foreign(_ count: Int) throws
  {
    let material = [UInt8](repeating: 0x31, count: 32)
    let iv = [UInt8](repeating: 0, count: count)
    let scene = try PrimitiveScene(PrimitiveScene.opcodes + [.importKey])
    let id = try scene.importSymmetric(material, "key/foreign", .unsealing)
    let sealed = try AESGCM.seal(
      key: material.span, iv: iv.span, plaintext: Self.text.span, aad: Self.aad.span)
    #expect(
      try scene.ask(.unseal, id, Body.unseal(sealed, aad: Self.aad, iv: iv)).plaintext == Self.text)
    #expect(try scene.ask(.unseal, id, Body.unseal(sealed, aad: [], iv: iv)) == "tag")
    let other = [UInt8](repeating: 0, count: count == 12 ? 16 : 12)
    #expect(try scene.ask(.unseal, id, Body.unseal(sealed, aad: Self.aad, iv: other)) == "tag")
  }

  @Test("[OP-SEAL-2] under a handle: envelopes without a key id") func handles() throws {
    let scene = try PrimitiveScene()
    let id = scene.key(.agreement)
    let handle = try scene.derivedKey()
    let envelope = try scene.ask(.seal, id, Body.seal(Self.text, aad: Self.aad, handle: handle))
      .sealed
    #expect(Array(envelope[1..<17]) == KeyID.none.bytes)
    #expect(
      try scene.ask(.unseal, id, Body.unseal(envelope, aad: Self.aad, handle: handle)).plaintext
        == Self.text)
    #expect(try scene.ask(.unseal, id, Body.unseal(envelope, handle: handle)) == "tag")
    let stored = try scene.ask(.seal, scene.key(.sealing), Body.seal(Self.text)).sealed
    #expect(try scene.ask(.unseal, id, Body.unseal(stored, handle: handle)) == "envelope")
  }

  @Test(
    "[OP-SEAL-4] the same key comes again behind another handle, so no IV of the caller's is taken")
  func sameKeyTwice() throws {
    let scene = try PrimitiveScene()
    let agreement = scene.key(.agreement)
    let unwrapping = scene.key(.unwrappingRSA)
    let peer = try PrivateKey.generate(.p256).spki
    func derived() throws -> [UInt8] {
      try scene.ask(.kdf, agreement, Body.kdf(scene.ask(.ecdh, agreement, Body.ecdh(peer)).handle))
        .handle
    }
    let spki = try #require(scene.publicKeys[unwrapping])
    let wrapped = try PublicKey(spki: spki).encryptOAEP([UInt8](repeating: 0x42, count: 32).span)
    func unwrapped() throws -> [UInt8] {
      try scene.ask(.unwrap, unwrapping, Body.unwrap(wrapped)).handle
    }
    for (id, first, second) in [
      (agreement, try derived(), try derived()), (unwrapping, try unwrapped(), try unwrapped()),
    ] {
      let envelope = try scene.ask(.seal, id, Body.seal(Self.text, handle: first)).sealed
      #expect(first != second)
      #expect(
        try scene.ask(.unseal, id, Body.unseal(envelope, handle: second)).plaintext == Self.text)
      for handle in [first, second] {
        for count in [12, 16] {
          #expect(
            try scene.ask(
              .seal, id, Self.withNonce([0x0A, 16] + handle, [UInt8](repeating: 0, count: count)))
              == "malformed")
        }
      }
      let again = try scene.ask(.seal, id, Body.seal(Self.text, handle: second)).sealed
      #expect(again[17..<29] != envelope[17..<29], "each nonce is drawn")
    }
  }

  /// A request with the field that once held a nonce of the caller's.
  private static func withNonce(_ handle: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
    handle + [0x12, UInt8(nonce.count)] + nonce + [0x1A, UInt8(text.count)] + text
  }

  @Test("AES-256 alone: a derived key of another size seals nothing") func sizes() throws {
    let scene = try PrimitiveScene()
    let id = scene.key(.agreement)
    for count in [16, 24, 31, 33, 64] {
      let handle = try scene.ask(.kdf, id, Body.kdf(scene.sharedSecret(), count: count)).handle
      #expect(try scene.ask(.seal, id, Body.seal(Self.text, handle: handle)) == "parameters")
      #expect(
        try scene.ask(
          .unseal, id,
          Body.unseal(
            [UInt8](repeating: 0, count: 20), handle: handle, iv: [UInt8](repeating: 0, count: 12)))
          == "parameters")
      #expect(try scene.ask(.releaseHandle, id, Body.release(handle)) == "ok")
    }
  }
}

extension PrimitiveScene {
  /// Takes a key in through `import-key`, as an operator does.
  func importSymmetric(_ bytes: [UInt8], _ label: String, _ role: KeyRole) throws -> KeyID {
    var storage = [UInt8](repeating: 0, count: 1024)
    var writer = MessageWriter(storage.mutableSpan)
    var request = ImportKeyRequest()
    request.label = label
    request.role = role.rawValue
    request.privateKey = bytes.span
    request.activate = true
    try request.encode(into: &writer)
    let count = writer.count
    let reply = try service.call(.importKey, body: Array(storage.prefix(count)), on: .operators)
    let id = try KeyDescription(MessageReader(reply.body.span)).id
    return KeyID(prefixOf: id.span) ?? .none
  }
}
