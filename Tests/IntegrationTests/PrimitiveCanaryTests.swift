import Audit
import Crypto
import Format
import Foundation
import Host
import KistClient
import TestSupport
import Testing

/// Whatever goes into a primitive or comes out of one, the daemon writes none of it down.
@Suite(.serialized) struct PrimitiveCanaryTests {
  static let policy = """
    [[grant]]
    id = "primitives"
    users = [\(getuid())]
    operations = ["list-keys", "import-key", "ecdh", "kdf", "seal", "unseal", "sign", "verify", "mac", "verify-mac", "unwrap", "release-handle"]
    keys = ["app/*"]
    release = ["shared-secret", "derived-key"]
    stages = true
    """

  @Test("[AUD-REC-6] no secret byte in the log, the key store or the diagnostics") func canaries()
    throws
  {
    var options = TestDaemon.Options()
    options.policy = Self.policy
    let daemon = try TestDaemon(options)
    var canaries = Canaries()
    let keys = try Keys(daemon, &canaries)
    let client = try Client(daemon.services)
    try seal(client, keys, &canaries)
    try agree(client, keys, &canaries)
    try signAndAuthenticate(client, keys, &canaries)
    try misbehave(client, keys, daemon, &canaries)

    let records = try daemon.records()
    for operation in [
      "ecdh", "kdf", "seal", "unseal", "sign", "verify", "mac", "verify-mac", "unwrap",
      "release-handle",
    ] {
      #expect(records.contains { $0.operation == operation && $0.status == .ok }, "\(operation)")
      #expect(records.contains { $0.operation == operation && $0.status != .ok }, "\(operation)")
    }
    // What left is named, and nothing of it is shown.
    #expect(Set(records.flatMap(\.released)) == ["shared-secret", "derived-key"])
    daemon.stop()
    #expect(canaries.count > 20)
    let written = try daemon.everythingWritten()
    #expect(written.count >= 5)
    for (name, contents) in written { #expect(canaries.found(in: contents) == [], "\(name)") }
    // The search itself finds what is there.
    #expect(canaries.found(in: Data("… \(Hex.encode(Array(canaries.first))) …".utf8)) != [])
  }

  private func seal(_ client: Client, _ keys: Keys, _ canaries: inout Canaries) throws {
    let plaintext = canaries.make("plaintext", 40)
    let data = canaries.make("associated data", 40)
    let envelope = try client.seal(
      plaintext.span, under: .stored(keys.sealing), associatedData: data)
    #expect(try client.unseal(envelope, associatedData: data).count == 40)
    #expect(throws: ClientError.self) {
      try client.unseal(envelope, associatedData: data + [1]).count
    }
    #expect(throws: ClientError.self) {
      try client.seal(plaintext.span, under: .stored(keys.mac), associatedData: data)
    }
  }

  private func agree(_ client: Client, _ keys: Keys, _ canaries: inout Canaries) throws {
    let peer = try PrivateKey.generate(.p256)
    try client.sharedSecret(keys.agreement, with: peer.spki).withBytes { canaries.add($0.array) }
    let info = canaries.make("info", 40)
    let salt = canaries.make("salt", 40)
    let secret = try client.agree(keys.agreement, with: peer.publicKey.point ?? [])
    canaries.add(secret.bytes)
    try client.derivedKey(.hkdfSHA256, from: secret, count: 64, info: .whole(info), salt: salt)
      .withBytes { canaries.add($0.array) }
    #expect(throws: ClientError.self) {
      try client.derivedKey(.hkdfSHA256, from: secret, count: 64, info: .whole(info), salt: salt)
        .count
    }
    #expect(throws: ClientError.self) {
      try client.agree(keys.agreement, with: canaries.make("no point", 65))
    }

    let wrapped = canaries.make("wrapped secret", 32)
    let key = try PublicKey(spki: keys.unwrappingSPKI)
    let handle = try client.unwrap(keys.unwrapping, key.encryptOAEP(wrapped.span))
    canaries.add(handle.bytes)
    let sealed = try client.seal(canaries.make("under a handle", 40).span, under: .held(handle))
    try client.release(handle)
    #expect(throws: ClientError.self) { try client.unseal(sealed, under: .held(handle)).count }
    #expect(throws: ClientError.self) {
      try client.unwrap(keys.unwrapping, canaries.make("not wrapped", 256))
    }
    let spare = try client.agree(keys.agreement, with: peer.spki)
    try client.release(spare)
    #expect(throws: ClientError.self) { try client.release(spare) }
  }

  private func signAndAuthenticate(_ client: Client, _ keys: Keys, _ canaries: inout Canaries)
    throws
  {
    let message = canaries.make("message", 60)
    let signature = try client.sign(message, with: keys.signing, .ecdsaP256SHA256)
    canaries.add(signature)
    try client.verify(signature, over: message, with: keys.signing, .ecdsaP256SHA256)
    #expect(throws: ClientError.self) {
      try client.verify(signature, over: message + [1], with: keys.signing, .ecdsaP256SHA256)
    }
    #expect(throws: ClientError.self) { try client.sign(message, with: keys.signing, .ed25519) }
    let code = try client.mac(message, under: .stored(keys.mac)).withBytes { $0.array }
    canaries.add(code)
    try client.verifyMAC(code, over: message, under: .stored(keys.mac))
    #expect(throws: ClientError.self) {
      try client.verifyMAC(code, over: message + [1], under: .stored(keys.mac))
    }
    #expect(throws: ClientError.self) {
      try client.mac(message, under: .stored(keys.sealing)).count
    }
  }

  /// A body that breaks the protocol, and a key id made of a canary.
  private func misbehave(
    _ client: Client, _ keys: Keys, _ daemon: TestDaemon, _ canaries: inout Canaries
  ) throws {
    let noise = canaries.make("malformed body", 60)
    let other = try Client(daemon.services)
    #expect(throws: ClientError.self) {
      _ = try other.call(.seal, key: keys.sealing, Unknown(noise: noise)).auditSequence
    }
    #expect(throws: ClientError.self) {
      try client.sign(noise, with: canaries.make("no key", 16, isSecret: false), .ed25519)
    }
  }

  private struct Keys {
    let sealing, mac, agreement, signing, unwrapping: [UInt8]
    let unwrappingSPKI: [UInt8]

    init(_ daemon: TestDaemon, _ canaries: inout Canaries) throws {
      let operators = try Client(daemon.operators)
      func take(_ role: String, _ key: Span<UInt8>) throws -> [UInt8] {
        var request = ImportKeyRequest()
        request.label = "app/" + role
        request.role = role
        request.privateKey = key
        request.activate = true
        return try KeyDescription(try operators.call(.importKey, request)).id
      }
      sealing = try take("sealing", canaries.make("sealing key", 32).span)
      mac = try take("mac-hmac-sha256", canaries.make("mac key", 48).span)
      let ec = try PrivateKey.generate(.p256)
      let signer = try PrivateKey.generate(.p256)
      let rsa = try PrivateKey.generate(.rsa(bits: 2048))
      agreement = try Self.serialised(ec, &canaries) { try take("agreement", $0) }
      signing = try Self.serialised(signer, &canaries) { try take("signing-ecdsa", $0) }
      unwrapping = try Self.serialised(rsa, &canaries) { try take("unwrapping-rsa", $0) }
      unwrappingSPKI = rsa.spki
    }

    /// The private scalar of an EC key, or the primes of an RSA key, are canaries; its public part
    /// is not.
    private static func serialised(
      _ key: PrivateKey, _ canaries: inout Canaries, _ take: (Span<UInt8>) throws -> [UInt8]
    ) throws -> [UInt8] {
      let der = try key.serialised()
      let bytes = der.bytes.array
      canaries.add(key.kind == .p256 ? Array(bytes[7..<39]) : Array(bytes[600..<640]))
      return try take(der.bytes)
    }
  }
}

/// A body whose field no request has.
private struct Unknown: Message {
  var noise: [UInt8] = []

  mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(9, "noise", &noise, .any)
  }
}

/// Values that must turn up nowhere, in any spelling.
private struct Canaries {
  private var values: [[UInt8]] = []

  var count: Int { values.count }
  var first: [UInt8] { values.first ?? [] }

  mutating func make(_ name: String, _ count: Int, isSecret: Bool = true) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += SHA256.hash(Array("\(name) \(bytes.count)".utf8)).bytes }
    let value = Array(bytes.prefix(count))
    if isSecret { add(value) }
    return value
  }

  mutating func add(_ value: [UInt8]) { values.append(value) }

  /// Eight bytes of any canary are one too many.
  func found(in contents: Data) -> [String] {
    values.flatMap { value in
      Self.spellings(Array(value.prefix(12))).compactMap {
        contents.range(of: $0) == nil ? nil : Hex.encode(value)
      }
    }
  }

  private static func spellings(_ value: [UInt8]) -> [Data] {
    let hex = Hex.encode(value)
    // Base64 at each of its three alignments, without what neighbours would change.
    let base64 = (0..<3).map { skipped in
      Data(value.dropFirst(skipped).prefix(9)).base64EncodedString()
    }
    return [Data(value), Data(value.reversed()), Data(hex.utf8), Data(hex.uppercased().utf8)]
      + base64.map { Data($0.utf8) }
  }
}

extension TestDaemon {
  /// Every file of the daemon's but the credential that the test gave it, and its standard error.
  fileprivate func everythingWritten() throws -> [(String, Data)] {
    var found: [(String, Data)] = [("standard error", Data(readErrors().utf8))]
    let files = try #require(
      FileManager.default.enumerator(at: directory, includingPropertiesForKeys: [.isRegularFileKey])
    )
    for case let file as URL in files where file.lastPathComponent != "kek" {
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      found.append((file.lastPathComponent, try Data(contentsOf: file)))
    }
    return found
  }
}
