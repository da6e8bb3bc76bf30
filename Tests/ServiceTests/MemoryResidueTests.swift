import Audit
import Crypto
import Format
import KeyStore
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// What a connection remembers, templates of records included, has nothing of what its requests
/// were about.
@Suite struct MemoryResidueTests {
  @Test func nothingOfAnOpenedTokenIsKept() throws {
    let scene = try TokenScene()
    let test = try scene.service()
    try test.unlock()
    let memory = ConnectionMemory()
    var secrets: [[UInt8]] = []
    for _ in 0..<3 {
      let request = try scene.request(
        signedAt: scene.clock.now, release: ReleasedFields([.dpan, .cryptogram, .last4, .amount]))
      let reply = try test.call(.openPaymentToken, key: scene.key(), body: request, memory: memory)
      #expect(reply.header.status == .ok)
      let opened = try OpenPaymentTokenReply(MessageReader(reply.body.span))
      let dpan = opened.dpan.array
      let cryptogram = opened.cryptogram.array
      #expect(dpan.count >= 12 && cryptogram.count >= 12)
      secrets += [dpan, cryptogram]
      let record = try #require(try test.lastRecord())
      let digests = [record.inputs.transaction, record.inputs.pan].compactMap { $0 }
      #expect(!digests.isEmpty)
      secrets += digests.map { Array($0.value.hex.utf8) }
    }
    let kept = bytes(in: memory)
    // The walk does see what is kept.
    for known in [
      "open-payment-token", TestService.caller.uid.description, try test.lastRecord()?.label ?? "?",
    ] {
      #expect(contains(kept, Array(known.utf8)), "\(known)")
    }
    for secret in secrets {
      for form in [secret, Array(Hex.encode(secret).utf8), Array(Base64.encode(secret).utf8)] {
        #expect(!contains(kept, form))
      }
    }
  }

  @Test func nothingOfADerivedSecretIsKept() throws {
    let scene = try PrimitiveScene()
    let memory = ConnectionMemory()
    var secrets: [[UInt8]] = []
    for _ in 0..<3 {
      let reply = try scene.service.call(
        .mac, key: scene.key(.macCMAC), body: TestService.macBody(), memory: memory)
      #expect(reply.header.status == .ok)
      secrets.append(Array(reply.body.suffix(16)))
      let point = try #require(PrivateKey.generate(.p256).publicKey.point)
      let agreed = try scene.service.call(
        .ecdh, key: scene.key(.agreement), body: Body.ecdh(point, release: true),
        handles: scene.connection, memory: memory)
      #expect(agreed.header.status == .ok)
      secrets += [Array(agreed.body.suffix(16)), Array(point.dropFirst().prefix(32))]
    }
    let kept = bytes(in: memory)
    #expect(contains(kept, Array("primitives".utf8)))
    for secret in secrets {
      for form in [secret, Array(Hex.encode(secret).utf8)] { #expect(!contains(kept, form)) }
    }
  }

  private func contains(_ text: [[UInt8]], _ part: [UInt8]) -> Bool {
    text.contains { text in
      text.count >= part.count
        && (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }
  }

  /// All byte arrays and texts that can be reached from a value.
  private func bytes(in value: Any) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var seen: Set<ObjectIdentifier> = []
    func visit(_ value: Any) {
      if let bytes = value as? [UInt8] { return found.append(bytes) }
      if let text = value as? String { return found.append(Array(text.utf8)) }
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .class, !seen.insert(ObjectIdentifier(value as AnyObject)).inserted
      {
        return
      }
      for child in mirror.children { visit(child.value) }
    }
    visit(value)
    return found
  }
}
