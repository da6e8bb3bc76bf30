import Audit
import Format
import Foundation
import KistClient
import TestSupport
import Testing

/// [OP-OPEN-11] A payment whose reply was lost, with a real daemon.
@Suite(.serialized, .enabled(if: Oracle.isPresent, "needs ../shared/oracle")) struct LostReplyTests
{
  private func openings(_ daemon: TestDaemon) throws -> [Record] {
    try daemon.records().filter { $0.opcode == .openPaymentToken && $0.status == .ok }
  }

  /// The frame that `Client.openPaymentToken` sends for a token.
  private func frame(_ token: PaymentToken, _ retryKey: RetryKey) throws -> [UInt8] {
    guard case .ephemeralPublicKey(let ephemeral) = token.keySource else {
      throw TestDaemon.Failure("an EC token is needed")
    }
    let id = KeyID(prefixOf: token.publicKeyHash.span)
    let body = try written(atMost: 8192) { (writer) throws(WireError) in
      var request = OpenPaymentTokenRequest()
      request.token.data = token.data.span
      request.token.signature = token.signature.span
      request.token.ephemeralPublicKey = ephemeral.span
      request.token.publicKeyHash = token.publicKeyHash.span
      request.token.transactionID = token.transactionID.span
      request.token.applicationData = token.applicationData.span
      request.retryKey = retryKey.bytes.span
      try request.encode(into: &writer)
    }
    return RawSocket.frame(.openPaymentToken, key: try #require(id), body: body)
  }

  private func token(_ oracle: Oracle) throws -> Oracle.Token {
    try #require(
      oracle.tokens.first {
        if case .ephemeralPublicKey = $0.token.keySource { true } else { false }
      })
  }

  @Test(
    "[OP-OPEN-11] the daemon is killed between the record and the client's read: a new process opens the token again, until it is late"
  )
  func killed() throws {
    let oracle = try Oracle(count: 4)
    var daemon = try oracle.daemon()
    let token = try token(oracle).token
    let key = RetryKey()
    let dying = try RawSocket(daemon.services)
    #expect(dying.send(try frame(token, key)))
    try eventually { try !openings(daemon).isEmpty }
    daemon.killHard()

    daemon = try daemon.restarted()
    #expect(
      outcome { _ = try Client(daemon.services).openPaymentToken(token).amount } == "rejected")
    let opened = try Client(daemon.services).openPaymentToken(token, retryKey: key)
    let records = try openings(daemon)
    #expect(
      records.count == 2 && records[1].inputs.retryOf == records[0].sequence
        && records[1].sequence == opened.auditSequence)

    daemon.killHard()
    try daemon.setClock("2025-06-01T12:02:01Z")
    daemon = try daemon.restarted()
    #expect(
      outcome { _ = try Client(daemon.services).openPaymentToken(token, retryKey: key).amount }
        == "rejected")
    #expect(daemon.stop() == 0)
  }

  @Test(
    "[OP-OPEN-11] a client sends once more where the reply is lost, and not oftener, nor untold")
  func sendsAgain() throws {
    let oracle = try Oracle(count: 4)
    let daemon = try oracle.daemon()
    let token = try token(oracle).token
    func opened(losing losses: Int, _ key: RetryKey?, again: Bool) throws -> (
      error: ClientError?, connections: Int
    ) {
      let relay = try LossyRelay(to: daemon.services, losing: losses)
      let client = try Client(relay.endpoint, timeout: .seconds(20))
      do throws(ClientError) {
        let opened = try client.openPaymentToken(token, retryKey: key, sendsAgain: again)
        return (nil, opened.auditSequence == nil ? 0 : relay.connections)
      } catch { return (error, relay.connections) }
    }
    let key = RetryKey()
    #expect(try opened(losing: 1, key, again: false) == (ClientError.disconnected(request: 1), 1))
    #expect(try opened(losing: 1, key, again: true) == (nil, 2))
    #expect(try opened(losing: 2, key, again: true) == (ClientError.disconnected(request: 2), 2))
    #expect(try opened(losing: 0, key, again: true) == (nil, 1))
    #expect(try opened(losing: 1, nil, again: true) == (ClientError.disconnected(request: 1), 1))
    let records = try openings(daemon)
    #expect(
      records.count == 6
        && records.dropFirst().allSatisfy { $0.inputs.retryOf == records[0].sequence })
    #expect(daemon.stop() == 0)
  }

  /// A reply without a record, to a request or about the connection.
  private func reply(_ status: Status, to request: UInt8, body: [UInt8] = []) -> [UInt8] {
    let opcode = request == 0 ? 0 : UInt8(Opcode.openPaymentToken.rawValue)
    let header: [UInt8] = [
      0, 0, 0, 20 + UInt8(body.count), 1, status.rawValue, 0, opcode, 0, 0, 0, 0, 0, 0, 0, request,
    ]
    return header + [UInt8](repeating: 0xFF, count: 8) + body
  }

  @Test(
    "[OP-OPEN-11] what the daemon says of itself the second time does not say that nothing was opened; what it says of the request is the answer"
  )
  func refusedTheSecondTime() throws {
    let oracle = try Oracle(count: 4)
    let daemon = try oracle.daemon()
    let token = try token(oracle).token
    func error(losing losses: Int, _ answer: [UInt8]) throws -> ClientError? {
      let client = try Client(
        try LossyRelay(to: daemon.services, losing: losses, answering: answer).endpoint,
        timeout: .seconds(20))
      do throws(ClientError) {
        _ = try client.openPaymentToken(token, retryKey: RetryKey()).auditSequence
        return nil
      } catch { return error }
    }
    for answer in [reply(.locked, to: 2), reply(.auditUnavailable, to: 2), reply(.busy, to: 0)] {
      #expect(try error(losing: 1, answer) == ClientError.disconnected(request: 1))
    }
    func refusal(losing losses: Int, _ answer: [UInt8]) throws -> ClientError.Refusal? {
      guard case .refused(let refusal) = try error(losing: losses, answer) else { return nil }
      return refusal
    }
    #expect(try refusal(losing: 0, reply(.locked, to: 1))?.status == "locked")
    #expect(try refusal(losing: 0, reply(.busy, to: 0))?.status == "busy")
    #expect(
      try refusal(losing: 1, reply(.busy, to: 2, body: [8, 100]))?.retryAfter == .milliseconds(100))
    #expect(try refusal(losing: 1, reply(.rejected, to: 2))?.status == "rejected")
    // A field of a later daemon leaves the stage as it is (section 8).
    let unknown = try refusal(
      losing: 0, reply(.rejected, to: 1, body: [8, Stage.missingField.rawValue, 16, 99]))
    #expect(unknown?.stage == "missing-field" && unknown?.field == nil)
    #expect(daemon.stop() == 0)
  }

  @Test(
    "[OP-OPEN-11] kist token open --retry-key: the same user again, and nobody else",
    .enabled(if: getuid() == 0, "needs root to be several users"))
  func commandOfTwoUsers() throws {
    let oracle = try Oracle(count: 4)
    let policy = """
      [[grant]]
      id = "openers"
      users = [40021, 40022]
      operations = ["open-payment-token"]
      keys = ["merchant/*"]
      release = ["last4"]
      stages = true
      """
    let daemon = try TestDaemon(
      TestDaemon.Options(
        root: oracle.root, clock: Oracle.clock, keys: oracle.keys, policy: policy, mode: "0666"))
    for name in ["", "/run"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: daemon.directory.path + name)
    }
    let file = daemon.directory.path + "/token.json"
    try Data(try token(oracle).json).write(to: URL(fileURLWithPath: file))
    func open(as uid: UInt32, _ key: String) throws -> (code: Int32, text: String) {
      let person = ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"]
      let command = ["token", "open", file, "--retry-key", key, "--socket", daemon.services.path]
      return try Terminal(person + [TestDaemon.executable("kist").path] + command).end()
    }
    let key = "00112233445566778899aabbccddeeff"
    let first = try open(as: 40021, key)
    #expect(first.code == 0, "\(first.text)")
    let theirs = try open(as: 40022, key)
    #expect(theirs.code == 1 && theirs.text.contains("replay"), "\(theirs.text)")
    let again = try open(as: 40021, key)
    #expect(again.code == 0 && again.text.contains("last4"), "\(again.text)")
    let other = try open(as: 40021, key.replacingOccurrences(of: "0011", with: "0012"))
    #expect(other.code == 1 && other.text.contains("replay"), "\(other.text)")
    let short = try open(as: 40021, "0011")
    #expect(short.code == 2 && short.text.contains("32 hexadecimal digits"), "\(short.text)")
    #expect(daemon.stop() == 0)
  }
}
