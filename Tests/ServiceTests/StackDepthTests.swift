import Crypto
import Format
import Host
import KeyStore
import ServiceHarness
import TestSupport
import Testing

/// No operation comes near the end of a thread's stack.
@Suite struct StackDepthTests {
  @Test("every primitive and both ways to unlock use at most half of a secret stack")
  func operations() throws {
    var depths: [(String, Int)] = []
    func measure(_ name: String, _ work: () throws -> Bool) throws {
      var isRight = false
      depths.append((name, try StackDepth.of { isRight = try work() }))
      #expect(isRight, "\(name)")
    }

    var made: PrimitiveScene?
    try measure("import and unlock by credential") {
      made = try PrimitiveScene()
      return true
    }
    let scene = try #require(made)
    for scheme in SignatureChoice.allCases {
      let isP384 = scheme == .ecdsaP384SHA384 || scheme == .ecdsaP384SHA384Fixed
      let id = isP384 ? scene.signingP384 : scene.key(SigningTests.role(scheme))
      try measure("sign \(scheme)") {
        try scene.ask(.sign, id, Body.sign(scheme, SigningTests.message)) == "ok"
      }
    }
    let peer = try PrivateKey.generate(.p384)
    try measure("ecdh") {
      try scene.ask(.ecdh, scene.agreementP384, Body.ecdh(peer.spki, release: true)) == "ok"
    }
    try measure("kdf") {
      try scene.ask(.kdf, scene.key(.agreement), Body.kdf(scene.sharedSecret())) == "ok"
    }
    try measure("seal") { try scene.ask(.seal, scene.key(.sealing), Body.seal([1, 2, 3])) == "ok" }
    try measure("mac") { try scene.service.mac(scene.key(.macCMAC)).header.status == .ok }
    try measure("rsa-4096") {
      let key = try PrivateKey.generate(.rsa(bits: 4096))
      let message = SigningTests.message
      return try key.sign(message.span).count == 512
    }
    try measure("argon2") {
      let salt = [UInt8](repeating: 7, count: Argon2id.saltSize)
      let message = SigningTests.message
      let derived = try Argon2id.derive(
        passphrase: message.span, salt: salt.span, opsLimit: 1, memoryLimit: 8 << 20, count: 32)
      return derived.count == 32
    }
    for (name, depth) in depths { print("soak: stack of \(name) = \(depth)") }
    for (name, depth) in depths { #expect(depth <= SecretStack.byteCount / 2, "\(name)") }
  }
}
