import Crypto
import Host
import TestSupport
import Testing

/// What holds of the process as a whole, each in a process of its own.
@Suite struct BackendTests {
  @Test func heapMovesIntoTheArena() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 20, allowMlockFallback: true)
      try CryptoBackend.start(arena: true)
      let before = SecretArena.usage.used
      let key = try PrivateKey.generate(.p256)
      #expect(SecretArena.usage.used > before && before > 0)
      #expect(key.kind == .p256)
      try CryptoBackend.start(arena: true)
    }
  }

  @Test func needsAnArenaToMoveInto() async {
    await #expect(processExitsWith: .success) {
      #expect(throws: CryptoError.backend) { try CryptoBackend.start(arena: true) }
      try CryptoBackend.start(arena: false)
    }
  }

  /// OpenSSL that has allocated before cannot be moved: the process must not go on to hold secrets.
  @Test func mustComeFirst() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 20, allowMlockFallback: true)
      let key = [UInt8](repeating: 0, count: 16)
      _ = try? BlockCipher.aes.cmac(key: key.span, message: key.span)
      #expect(throws: CryptoError.backend) { try CryptoBackend.start(arena: true) }
    }
  }

  /// A full arena is `exhausted` whoever asks, ours or OpenSSL; what was freed serves again.
  @Test func exhaustion() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 20, allowMlockFallback: true)
      try CryptoBackend.start(arena: true)
      let key = try PrivateKey.generate(.p256)
      let point = try #require(key.publicKey.point)
      _ = try key.agree(with: point.span)
      fill(then: {
        #expect(throws: CryptoError.exhausted) { _ = try PrivateKey.generate(.p256) }
        #expect(throws: CryptoError.exhausted) {
          _ = try HMACSHA256.authenticate(key: point.span, point.span)
        }
        #expect(throws: CryptoError.exhausted) { _ = try Random.secret(count: 64) }
        // Last: what it had ready goes with the failure, and leaves room.
        #expect(throws: CryptoError.exhausted) { _ = try key.agree(with: point.span) }
      })
      _ = try key.agree(with: point.span)
    }
  }

  /// One key in several threads at once.
  @Test func keysAreShared() async throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let signer = try PrivateKey.generate(.ed25519)
    let rsa = try PrivateKey.generate(.rsa(bits: 2048))
    let point = try #require(key.publicKey.point)
    let message = Array("shared".utf8)
    let wrapped = try rsa.publicKey.encryptOAEP(message.span)
    let z = try key.agree(with: point.span)
    let expected = SHA256.hash(z.bytes)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20 {
            let z = try key.agree(with: point.span)
            let signature = try signer.sign(message.span)
            let opened = try rsa.decryptOAEP(wrapped.span)
            let isRight =
              SHA256.hash(z.bytes) == expected
              && signer.publicKey.verify(signature: signature.span, message: message.span)
            guard isRight, ConstantTime.equal(opened.bytes, message.span) else { return false }
          }
          return true
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}

/// Takes every block of the arena, down to the smallest, while `body` runs.
private func fill(then body: () -> Void, size: Int = 1 << 20) {
  do throws(SecretMemoryError) {
    let held = try SecretBuffer(count: size)
    fill(then: body, size: size)
    extendLifetime(held)
  } catch {
    guard size > 64 else { return body() }
    fill(then: body, size: size / 2)
  }
}
