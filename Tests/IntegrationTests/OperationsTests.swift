import Audit
import Ceremony
import Crypto
import Format
import Foundation
import Host
import KeyStore
import KistClient
import Testing

/// The operations around the payment tokens, through the sockets of a real daemon.
@Suite(.serialized, .enabled(if: Oracle.isPresent, "needs ../shared/oracle")) struct OperationsTests
{
  @Test("[OP-DESCRIBE-1] every operation with its opcode and its largest request") func describe()
    throws
  {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    let description = try DescribeReply(try Client(daemon.services).call(.describe))
    #expect(description.operations.map(\.name) == Opcode.allCases.map(\.name))
    #expect(description.operations.map(\.opcode) == Opcode.allCases.map { UInt32($0.rawValue) })
    #expect(description.operations.allSatisfy { $0.requestCap >= 28 && $0.requestCap <= 131_072 })
    #expect(description.rehearsal && description.wireVersion == 1)
  }

  @Test("[OP-RANDOM-1] as many bytes as asked for, never the same, and no other count")
  func random() throws {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    var seen: Set<[UInt8]> = []
    for count in [16, 17, 255, 1024] {
      let bytes = try client.random(count)
      #expect(bytes.count == count)
      seen.insert(bytes)
    }
    #expect(seen.count == 4)
    // 1025, which the client would not send.
    let socket = try RawSocket(daemon.services)
    socket.send(RawSocket.frame(.random, body: [0x08, 0x81, 0x08]))
    #expect(try socket.reply()?.status == .malformed)
  }

  @Test("[OP-WHO-1] the caller's grants in force, in their order, and nobody else's") func who()
    throws
  {
    let oracle = try Oracle(count: 0)
    let policy = """
      [[grant]]
      id = "gone"
      users = [\(getuid())]
      operations = ["random"]
      until = "2020-01-01"

      [[grant]]
      id = "own"
      users = [\(getuid()), 4242]
      operations = ["who", "open-payment-token"]
      keys = ["merchant/*"]
      release = ["last4"]
      quota = "500/d"
      until = "2200-01-01"

      [[grant]]
      id = "others"
      users = [4242]
      operations = ["random"]
      """
    let daemon = try oracle.daemon(policy: policy)
    defer { daemon.stop() }
    let rights = try Client(daemon.services).who()
    #expect((rights.uid, rights.gid, rights.isCut) == (getuid(), getgid(), false))
    #expect(rights.grants.map(\.id) == ["own"])
    let own = try #require(rights.grants.first)
    #expect(own.operations == ["who", "open-payment-token"])
    #expect((own.keys, own.released) == (["merchant/*"], ["last4"]))
    #expect(
      (own.rate, own.quota, own.until, own.showsStage) == (nil, "500/d", 7_258_118_400, false))
    let socket = try RawSocket(daemon.services)
    socket.send(RawSocket.frame(.who, body: [0x08, 0x01]))
    #expect(try socket.reply()?.status == .malformed)
  }

  @Test(
    "[OP-LIST-1] [OP-KEY-1] keys are listed by label as far as the grant covers them, and described without a private byte"
  ) func keys() throws {
    let oracle = try Oracle(count: 0)
    let grant = """
      [[grant]]
      id = "reader"
      users = [\(getuid())]
      operations = ["list-keys", "describe-key"]
      keys = ["merchant/oracle/processing-rsa"]
      """
    let daemon = try oracle.daemon(policy: grant)
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    let listed = try client.listKeys()
    #expect(listed.map(\.label) == ["merchant/oracle/processing-rsa"])
    #expect(try client.listKeys(prefix: "merchant/z").isEmpty)
    let key = try client.describeKey(listed[0].id)
    #expect(SHA256.hash(key.publicKey).bytes == key.checkValue)
    #expect(
      [key.role, key.usage, key.state, key.algorithm] == [
        "merchant-processing-rsa", "D1 R D", "active", "RSA-2048",
      ])
    #expect(listed[0].publicKey.isEmpty)
    let all = try TestDaemon.keyIDs(of: oracle)
    let hidden = try #require(all.first { $0 != listed[0].id })
    #expect { _ = try client.describeKey(hidden) } throws: { refusal("denied")($0) }
  }

  @Test("[OP-LIST-2] a key is found by its label, or by a pattern that covers no other")
  func findKey() throws {
    let oracle = try Oracle(count: 0)
    let daemon = try oracle.daemon()
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    let found = try client.findKey("merchant/oracle/processing-rsa")
    #expect(found.label == "merchant/oracle/processing-rsa")
    #expect(try client.listKeys(pattern: "merchant/oracle/*").contains(found))
    #expect(throws: KeySearchError.none("merchant/oracle")) {
      try client.findKey("merchant/oracle")
    }
    #expect { _ = try client.findKey("merchant/*") } throws: { error in
      guard case KeySearchError.several("merchant/*", let labels) = error else { return false }
      return labels.count > 1 && labels.contains(found.label)
        && "\(error)".contains("covers several keys: ")
    }
    #expect { _ = try client.findKey("no pattern") } throws: { error in
      guard case KeySearchError.failed(let reason) = error else { return false }
      return refusal("rejected", "format")(reason)
    }
    #expect(throws: KeySearchError.failed(.request("a pattern of labels is not empty"))) {
      try client.findKey("")
    }
  }

  @Test("a call's own request id is on the record") func requestID() throws {
    let oracle = try Oracle(count: 0)
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    _ = try client.with(requestID: 0xFEED_0000_0000_0002) { (client) throws(ClientError) in
      try client.listKeys()
    }
    #expect(daemon.stop() == 0)
    #expect(
      try daemon.records().last { $0.operation == "list-keys" }?.request == 0xFEED_0000_0000_0002)
  }

  @Test("[OP-VERIFY-2] the application data must be the token's") func verifyApplicationData()
    throws
  {
    let oracle = try Oracle(count: 1)
    let daemon = try oracle.daemon()
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    let token = oracle.tokens[0].token
    #expect(token.applicationData.count == 32)
    _ = try client.verifyPaymentToken(token, applicationData: token.applicationData)
    #expect {
      _ = try client.verifyPaymentToken(token, applicationData: [UInt8](repeating: 1, count: 32))
    } throws: { refusal("rejected", "expectation")($0) }
    #expect {
      _ = try client.verifyPaymentToken(
        Mutation.copy(token, transactionID: [UInt8](repeating: 1, count: 32)))
    } throws: {
      refusal("rejected", "message-digest")($0)
    }
    // [OP-OPEN-2] Data that cannot hold a tag.
    #expect {
      _ = try client.verifyPaymentToken(
        Mutation.copy(token, data: [UInt8](repeating: 1, count: 16)))
    } throws: { refusal("rejected", "format")($0) }
    // Nothing was remembered: it still opens.
    #expect(try client.openPaymentToken(token).amount == 0)
  }

  @Test("a token of another version's shape") func versions() throws {
    let oracle = try Oracle(count: 4)
    let daemon = try oracle.daemon()
    defer { daemon.stop() }
    let client = try Client(daemon.services)
    let ec = oracle.tokens[1].token
    let rsa = oracle.tokens[3].token
    let crossed = Mutation.copy(ec, keySource: rsa.keySource)
    #expect { _ = try client.openPaymentToken(crossed).amount } throws: {
      refusal("rejected", "algorithm")($0)
    }
    // An EC token sent to the RSA key, and the reverse.
    #expect {
      _ = try client.openPaymentToken(ec, withKey: Array(rsa.publicKeyHash.prefix(16))).amount
    } throws: { refusal("rejected", "public-key-hash")($0) }
    #expect {
      _ = try client.openPaymentToken(rsa, withKey: Array(ec.publicKeyHash.prefix(16))).amount
    } throws: { refusal("rejected", "public-key-hash")($0) }
  }

  @Test(
    "[OP-IMPORT-1] a key is taken in while tokens are served, once, and is there after a restart")
  func importKey() throws {
    let oracle = try Oracle(count: 1)
    let daemon = try TestDaemon(TestDaemon.Options(root: oracle.root, clock: Oracle.clock))
    let operators = try Client(daemon.operators)
    let shop = try Client(daemon.services)
    #expect { _ = try shop.openPaymentToken(oracle.tokens[0].token).amount } throws: {
      refusal("denied")($0)
    }
    let id = try operators.importKey(oracle.keys[0])
    #expect(id == Array(oracle.tokens[0].token.publicKeyHash.prefix(16)))
    #expect { _ = try operators.importKey(oracle.keys[0]) } throws: {
      refusal("rejected", "key-import")($0)
    }
    var other = oracle.keys[1]
    other.label = "Not/A Label"
    #expect { _ = try operators.importKey(other) } throws: { refusal("rejected", "key-import")($0) }
    other = TestDaemon.MerchantKey(
      label: "merchant/x", role: .auditSigning, pem: oracle.keys[1].pem, merchant: "m")
    #expect { _ = try operators.importKey(other) } throws: { refusal("rejected", "key-import")($0) }
    #expect(try shop.openPaymentToken(oracle.tokens[0].token).amount == 0)
    #expect(daemon.stop() == 0)

    let again = try daemon.restarted()
    defer { again.stop() }
    let key = try Client(again.services).describeKey(id)
    #expect(key.label == oracle.keys[0].label && key.uses == 1 && key.lastUse != nil)
    #expect(
      try again.records().contains {
        $0.operation == "key-imported" && $0.label == oracle.keys[0].label
      })
  }
}

extension Client {
  /// Imports a PEM key as the operator's command does, and returns its id.
  func importKey(_ key: TestDaemon.MerchantKey) throws -> [UInt8] {
    let pem = Array(key.pem.utf8)
    let span = pem.span
    let file = try SecretBuffer(copying: span)
    guard let imported = try PrivateKeyFile.decode(file.bytes, passphrase: nil).key else {
      throw TestDaemon.Failure("no key")
    }
    let der = try imported.serialised()
    var request = ImportKeyRequest()
    request.label = key.label
    request.role = key.role.rawValue
    request.privateKey = der.bytes
    request.merchantIdentifier = key.merchant
    request.activate = true
    return try KeyDescription(try call(.importKey, request)).id
  }
}

extension TestDaemon {
  /// The ids of an oracle's keys.
  static func keyIDs(of oracle: Oracle) throws -> [[UInt8]] {
    try oracle.keys.map { key in
      let pem = Array(key.pem.utf8)
      let span = pem.span
      guard let imported = try PrivateKeyFile.decode(span, passphrase: nil).key else {
        throw Failure("no key")
      }
      return Array(SHA256.hash(imported.spki).bytes.prefix(16))
    }
  }
}
