import Crypto
import Format
import Policy
import KeyStore
import Operations
import Service
import ServiceHarness
import TestSupport
import Testing

@Suite struct HandleTests {
  @Test("[OP-HANDLE-1] a shared secret is spent by one kdf, also by one that fails")
  func spentOnce() throws {
    let scene = try PrimitiveScene()
    let secret = try scene.sharedSecret()
    #expect(try scene.ask(.kdf, scene.key(.agreement), Body.kdf(secret)) == "ok")
    #expect(try scene.ask(.kdf, scene.key(.agreement), Body.kdf(secret)) == "denied")
    let other = try scene.sharedSecret()
    #expect(try scene.ask(.kdf, scene.key(.agreement), Body.kdf(other, salt: [1])) == "parameters")
    #expect(try scene.ask(.kdf, scene.key(.agreement), Body.kdf(other)) == "denied")
  }

  @Test("[OP-HANDLE-3] another connection, another key, or no such handle: a missing key")
  func misuse() throws {
    let scene = try PrimitiveScene()
    let secret = try scene.sharedSecret()
    let other = scene.service.service.makeHandles()
    #expect(try scene.ask(.kdf, scene.key(.agreement), Body.kdf(secret), over: other) == "denied")
    #expect(
      try scene.ask(.kdf, scene.key(.agreement), Body.kdf(secret), over: HandleTable.none)
        == "denied")
    #expect(try scene.ask(.kdf, scene.agreementP384, Body.kdf(secret)) == "denied")
    #expect(try scene.ask(.kdf, scene.key(.unwrappingRSA), Body.kdf(secret)) == "denied")
    #expect(try scene.ask(.kdf, scene.key(.sealing), Body.kdf(secret)) == "denied")
    var changed = secret
    for i in changed.indices {
      changed[i] ^= 1
      #expect(try scene.ask(.kdf, scene.key(.agreement), Body.kdf(changed)) == "denied")
      changed[i] ^= 1
    }
    // None of these spent it.
    #expect(try scene.ask(.kdf, scene.key(.agreement), Body.kdf(secret)) == "ok")
    #expect(try scene.service.operations().count { $0 == "kdf" } == 22)
  }

  @Test("[OP-HANDLE-2] each kind of secret serves its own operations alone") func kinds() throws {
    let scene = try PrimitiveScene()
    let key = scene.key(.agreement)
    let shared = try scene.sharedSecret()
    let derived = try scene.derivedKey()
    #expect(try scene.ask(.seal, key, Body.seal([1], handle: shared)) == "denied")
    #expect(
      try scene.ask(.unseal, key, Body.unseal([UInt8](repeating: 1, count: 60), handle: shared))
        == "denied")
    #expect(try scene.ask(.mac, key, Body.mac([1], handle: shared, .hmacSHA256)) == "denied")
    #expect(
      try scene.ask(.verifyMAC, key, Body.verifyMAC([1], [1], handle: shared, .hmacSHA256))
        == "denied")
    #expect(try scene.ask(.kdf, key, Body.kdf(derived)) == "denied")
    for _ in 0..<3 { #expect(try scene.ask(.seal, key, Body.seal([1], handle: derived)) == "ok") }
    #expect(try scene.ask(.mac, key, Body.mac([1], handle: derived, .aesCMAC)) == "ok")
  }

  @Test("[OP-HANDLE-1] sixty seconds, and not a moment longer") func timeOut() throws {
    let scene = try PrimitiveScene()
    let first = try scene.derivedKey()
    let second = try scene.derivedKey()
    scene.service.clock.now = scene.service.clock.now.adding(seconds: 59)
    #expect(try scene.ask(.seal, scene.key(.agreement), Body.seal([1], handle: first)) == "ok")
    #expect(scene.connection.expire())
    // Using one does not make it live longer.
    scene.service.clock.now = scene.service.clock.now.adding(seconds: 1)
    #expect(try scene.ask(.seal, scene.key(.agreement), Body.seal([1], handle: first)) == "denied")
    #expect(!scene.connection.expire())
    #expect(try scene.ask(.seal, scene.key(.agreement), Body.seal([1], handle: second)) == "denied")
  }

  @Test("[OP-HANDLE-1] as many as a connection may hold, and no more") func capacity() throws {
    let scene = try PrimitiveScene()
    let peer = try PrivateKey.generate(.p256).publicKey.point ?? []
    let held = try (0..<16).map { _ in try scene.sharedSecret() }
    #expect(Set(held).count == 16)
    #expect(try scene.ask(.ecdh, scene.key(.agreement), Body.ecdh(peer)) == "busy")
    // Another connection has its own room.
    #expect(
      try scene.ask(
        .ecdh, scene.key(.agreement), Body.ecdh(peer), over: scene.service.service.makeHandles())
        == "ok")
    #expect(try scene.ask(.releaseHandle, scene.key(.agreement), Body.release(held[3])) == "ok")
    #expect(try scene.ask(.ecdh, scene.key(.agreement), Body.ecdh(peer)) == "ok")
    #expect(try scene.ask(.ecdh, scene.key(.agreement), Body.ecdh(peer)) == "busy")
  }

  @Test("[OP-HANDLE-4] released once, and gone") func release() throws {
    let scene = try PrimitiveScene()
    for handle in [try scene.sharedSecret(), try scene.derivedKey()] {
      #expect(try scene.ask(.releaseHandle, scene.agreementP384, Body.release(handle)) == "denied")
      #expect(try scene.ask(.releaseHandle, scene.key(.agreement), Body.release(handle)) == "ok")
      #expect(
        try scene.ask(.releaseHandle, scene.key(.agreement), Body.release(handle)) == "denied")
      #expect(
        try scene.ask(.seal, scene.key(.agreement), Body.seal([1], handle: handle)) == "denied")
    }
  }

  @Test("[OP-HANDLE-1] locking the key store wipes what connections hold") func locking() throws {
    let lockToo = PrimitiveScene.opcodes + [.lock]
    let scene = try PrimitiveScene(lockToo)
    let handle = try scene.derivedKey()
    let other = scene.service.service.makeHandles()
    let elsewhere = try scene.derivedKey(over: other)
    #expect(scene.connection.expire() && other.expire())
    #expect(try scene.service.status(.lock, on: .operators) == .ok)
    #expect(!scene.connection.expire() && !other.expire())
    #expect(try scene.ask(.seal, scene.key(.agreement), Body.seal([1], handle: handle)) == "locked")
    try scene.service.unlock()
    #expect(try scene.ask(.seal, scene.key(.agreement), Body.seal([1], handle: handle)) == "denied")
    #expect(
      try scene.ask(.seal, scene.key(.agreement), Body.seal([1], handle: elsewhere), over: other)
        == "denied")
  }
}
