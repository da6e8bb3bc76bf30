import Crypto
import Format
import Policy
import Host
import KeyStore
import Operations
import ServiceHarness
import TestSupport
import Testing

/// Off unless role and policy both name it, and then indistinguishable from a missing key.
@Suite struct PrimitiveRightsTests {
  /// A well-formed request of each operation.
  static func body(_ opcode: Opcode) throws -> [UInt8] {
    let handle = [UInt8](repeating: 7, count: 16)
    return switch opcode {
    case .ecdh: try Body.ecdh([4] + [UInt8](repeating: 1, count: 64))
    case .kdf: try Body.kdf(handle)
    case .seal: try Body.seal([1])
    case .unseal: try Body.unseal([UInt8](repeating: 1, count: 60))
    case .sign: try Body.sign(.rsaPSSSHA256, [1])
    case .verify: try Body.verify(.rsaPSSSHA256, [1], [2])
    case .mac: try Body.mac([1])
    case .verifyMAC: try Body.verifyMAC([1], [2])
    case .unwrap: try Body.unwrap([1])
    default: try Body.release(handle)
    }
  }

  @Test("[WIRE-13] a key of another role looks like a missing key, whatever the operation")
  func otherRoles() throws {
    let scene = try PrimitiveScene()
    var served = 0
    var refused = 0
    for opcode in PrimitiveScene.opcodes {
      let missing = try scene.service.call(
        opcode, key: KeyID(high: 9, low: 9), body: Self.body(opcode), handles: scene.connection)
      #expect(missing.header.status == .denied && missing.body.isEmpty)
      for role in PrimitiveScene.roles {
        let reply = try scene.service.call(
          opcode, key: scene.key(role), body: Self.body(opcode), handles: scene.connection)
        guard !role.serves(opcode) else {
          #expect(reply.header.status != .denied, "\(role) \(opcode)")
          served += 1
          continue
        }
        #expect(reply.header.status == .denied && reply.body.isEmpty, "\(role) \(opcode)")
        refused += 1
      }
    }
    // One sign of the merchant's identity key and the 19 pairs of the primitives' own roles.
    #expect(served == 20)
    #expect(refused == 170)
  }

  @Test("without a grant every operation is denied, also on a key that would serve it")
  func noGrant() throws {
    let scene = try PrimitiveScene([.describeKey])
    for opcode in PrimitiveScene.opcodes {
      for role in PrimitiveScene.roles {
        let reply = try scene.service.call(
          opcode, key: scene.key(role), body: Self.body(opcode), handles: scene.connection)
        #expect(reply.header.status == .denied && reply.body.isEmpty)
      }
    }
    let records = try scene.service.operations()
    #expect(
      records.count { Opcode(name: $0).map(PrimitiveScene.opcodes.contains) ?? false }
        == PrimitiveScene.opcodes.count * PrimitiveScene.roles.count)
  }

  @Test("a grant on one key says nothing of another") func otherKey() throws {
    let scene = try PrimitiveScene(keys: ["key/signing-rsa"])
    #expect(try scene.ask(.sign, scene.key(.signingRSA), Body.sign(.rsaPSSSHA256, [1])) == "ok")
    #expect(
      try scene.ask(.sign, scene.key(.signingECDSA), Body.sign(.ecdsaP256SHA256, [1])) == "denied")
  }

  @Test("[OP-ECDH-3] [OP-KDF-4] secrets leave only where the grant releases them") func release()
    throws
  {
    let peer = try PrivateKey.generate(.p256).publicKey.point ?? []
    let shut = try PrimitiveScene(secrets: [])
    #expect(try shut.ask(.ecdh, shut.key(.agreement), Body.ecdh(peer, release: true)) == "denied")
    let secret = try shut.sharedSecret()
    #expect(try shut.ask(.kdf, shut.key(.agreement), Body.kdf(secret, release: true)) == "denied")
    // What was refused was not spent.
    #expect(try shut.ask(.kdf, shut.key(.agreement), Body.kdf(secret)) == "ok")

    let half = try PrimitiveScene(secrets: ReleasedSecrets([.derivedKey]))
    #expect(try half.ask(.ecdh, half.key(.agreement), Body.ecdh(peer, release: true)) == "denied")
    #expect(
      try half.ask(.kdf, half.key(.agreement), Body.kdf(half.sharedSecret(), release: true)) == "ok"
    )
  }

  @Test(
    "[OP-IMPORT-1] import-key takes the generic roles' keys as their bytes, and nothing that is none"
  ) func imports() throws {
    let service = try TestService()
    try service.unlock()
    func imported(_ role: String, _ key: [UInt8], merchant: String = "") throws -> Status {
      let request = try encodedImport(
        label: "merchant/\(role)-\(key.count)", role: role, key: key, merchant: merchant)
      return try service.status(.importKey, body: request, on: .operators)
    }
    let bytes = [UInt8](repeating: 0xA5, count: 65)
    for (role, counts) in [
      ("sealing", [32]), ("unsealing", [32]), ("mac-cmac", [32]), ("mac-hmac-sha256", [32, 64]),
      ("mac-hmac-sha512", [48]),
    ] {
      for count in counts {
        #expect(try imported(role, Array(bytes.prefix(count))) == .ok, "\(role) \(count)")
      }
      for count in [1, 16, 31, 65] {
        #expect(try imported(role, Array(bytes.prefix(count))) == .rejected, "\(role) \(count)")
      }
    }
    #expect(
      try imported("sealing", Array(bytes.prefix(32)), merchant: "merchant.com.example")
        == .rejected)
    for role in [
      "agreement", "signing-ecdsa", "signing-rsa", "signing-ed25519", "unwrapping-rsa",
      "audit-digest", "audit-signing", "nothing",
    ] {
      #expect(try imported(role, Array(bytes.prefix(32))) == .rejected, "\(role)")
    }
    let secret = try PrivateKey.generate(.ed25519).serialised()
    let ed25519 = secret.bytes.array
    #expect(try imported("signing-ed25519", ed25519) == .ok)
    #expect(try imported("audit-signing", ed25519) == .rejected)
  }

  private func encodedImport(label: String, role: String, key: [UInt8], merchant: String) throws
    -> [UInt8]
  {
    var storage = [UInt8](repeating: 0, count: 4096)
    var writer = MessageWriter(storage.mutableSpan)
    var request = ImportKeyRequest()
    request.label = label
    request.role = role
    request.privateKey = key.span
    request.merchantIdentifier = merchant
    request.activate = true
    try request.encode(into: &writer)
    let count = writer.count
    return Array(storage.prefix(count))
  }
}
