import Audit
import Crypto
import Dispatch
import Format
import KeyStore
import KistClient
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// [OP-OTP-9] `reset-otp-lockout`: a help desk ends a lock-out, and nothing else.
@Suite struct ResetOTPLockoutTests {
  private static let agent = TestService.caller
  private static let second = Caller(uid: 1001, gid: 1001, pid: 2, name: "user-1001")
  private static let anna = "cardholder-anna", ben = "cardholder-ben"

  private let test: TestService
  private let key: KeyID

  init() throws {
    let users = [Self.agent, Self.second].map { Principal(id: $0.uid) }
    let rule = try Rule(
      id: "all", callers: CallerRule(users: users),
      operations: [
        .signOTP, .verifyOTP, .resetOTPLockout, .generateKey, .retireKey, .suspendKey, .approve,
        .listRequests, .auditDigest, .mac,
      ], keys: [.prefix("")], showsStage: true, rate: Rate("1000/s"))
    test = try TestService(
      grants: [rule],
      adjust: {
        $0.configuration.operators.approval = [.resetOTPLockout]
        $0.configuration.operators.approvalTime = .seconds(600)
      })
    try test.unlock()
    key = try test.generateKey("merchant/acme/codes", "otp-hotp") {
      ($0.otp.digits, $0.otp.hash, $0.otp.window, $0.otp.failures, $0.otp.lockout) = (
        6, .sha256, 3, 3, 3600
      )
    }
  }

  @Test(
    "[OP-OTP-9] after it a right code is taken at once; the answer says how many wrong ones were forgotten"
  ) func endsALockout() throws {
    let code = try lockOut(Self.anna)
    #expect(try check(code, Self.anna) == "otp-locked")
    #expect(try resetByTwo(Self.anna) == 3)
    #expect(try check(code, Self.anna) == "ok")
    #expect(try resetByTwo(Self.anna) == 0)
  }

  @Test("the lock-out does not grow again as if it had never ended") func countsAnew() throws {
    _ = try lockOut(Self.anna)
    _ = try resetByTwo(Self.anna)
    let code = try newCode(Self.anna)
    for _ in 0..<2 { #expect(try check("000000", Self.anna) == "otp-code") }
    #expect(try check(code, Self.anna) == "ok")
  }

  @Test("no code that was right is right again, nor one before it") func countersStay() throws {
    let codes = try (0..<3).map { _ in try newCode(Self.anna) }
    #expect(try check(codes[1], Self.anna) == "ok")
    _ = try lockOut(Self.anna)
    _ = try resetByTwo(Self.anna)
    for code in codes.prefix(2) { #expect(try check(code, Self.anna) == "otp-code") }
  }

  @Test(
    "[OP-OTP-6] a right code that comes twelve times at once is right once, and locks nobody out")
  func sentTwelveTimes() throws {
    let code = try newCode(Self.anna)
    let answers = Locked<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 12) { _ in
      let answer = (try? check(code, Self.anna)) ?? "thrown"
      answers.withLock { $0.append(answer) }
    }
    #expect(
      answers.withLock { $0.sorted() } == [String](repeating: "ok", count: 1)
        + [String](repeating: "otp-code", count: 11))
    #expect(try resetByTwo(Self.anna) == 0)
    // Only the last that was right is known: another one counts.
    let next = try newCode(Self.anna)
    #expect(try check(next, Self.anna) == "ok")
    for _ in 0..<3 { #expect(try check(code, Self.anna) == "otp-code") }
    #expect(try check(next, Self.anna) == "otp-locked")
  }

  @Test("one subject's alone") func others() throws {
    _ = try lockOut(Self.anna)
    let code = try lockOut(Self.ben)
    _ = try resetByTwo(Self.anna)
    _ = try resetByTwo("")
    #expect(try check(code, Self.ben) == "otp-locked")
  }

  @Test("it needs another person, who sees whose lock-out it is; nobody else's approval counts")
  func fourEyes() throws {
    let code = try lockOut(Self.anna)
    let name = try waiting(Self.anna)
    let listed = try list()
    #expect(
      listed.map(\.subject) == [Self.anna] && listed.map(\.operation) == ["reset-otp-lockout"])
    #expect(try approve(name, by: Self.agent) == .rejected)
    #expect(try reset(Self.anna).status == .approvalNeeded)
    #expect(try check(code, Self.anna) == "otp-locked")
    #expect(try approve(name, by: Self.second) == .ok)
    #expect(try reset(Self.ben).status == .approvalNeeded)
    #expect(try reset(Self.anna).status == .ok)
    #expect(try reset(Self.anna).status == .approvalNeeded, "an approval counts twice")
  }

  @Test("the record has the subject's keyed digest, and the log never the subject")
  func onTheRecord() throws {
    _ = try lockOut(Self.anna)
    _ = try resetByTwo(Self.anna)
    let record = try #require(try test.records().last)
    let body = try written(atMost: 160) {
      let subject = Array(Self.anna.utf8)
      var request = AuditDigestRequest()
      request.field = .subject
      request.value = subject.span
      try request.encode(into: &$0)
    }
    let answer = try test.call(.auditDigest, body: body).body
    let digest = try AuditDigestReply(MessageReader(answer.span)).digest
    #expect(record.operation == "reset-otp-lockout" && record.inputs.subject?.text == digest)
    #expect(record.inputs.approval?.by == Self.second.uid)
    for name in try test.disk.list("/audit") {
      #expect(
        !String(decoding: try #require(test.disk.contents("/audit/" + name)), as: UTF8.self)
          .contains(Self.anna))
    }
  }

  @Test("it outlives the process") func afterARestart() throws {
    let code = try lockOut(Self.anna)
    _ = try resetByTwo(Self.anna)
    #expect(test.service.stop())
    let next = try TestService(on: test.disk)
    try next.unlock()
    #expect(try next.tryCode(code, key, of: Self.anna) == "ok")
  }

  @Test(
    "a retired key's codes are still checked, so it serves; another role's key or a suspended one does not, nor a service's socket"
  ) func refusals() throws {
    let code = try lockOut(Self.anna)
    let other = try test.generateKey("merchant/acme/mac")
    #expect(try reset(Self.anna, of: other, approvedBy: Self.second) == .denied)
    #expect(
      try test.call(.resetOTPLockout, key: key, body: Self.body(Self.anna)).header.status == .denied
    )
    let tooLong = try written(atMost: 160) {
      try $0.bytes(1, [UInt8](repeating: 0x73, count: 129).span)
    }
    #expect(try reset(body: tooLong).status != .ok)
    #expect(try test.call(.retireKey, key: key, on: .operators).header.status == .ok)
    #expect(try reset(Self.anna, of: key, approvedBy: Self.second) == .ok)
    #expect(try check(code, Self.anna) == "ok")
    #expect(try test.call(.suspendKey, key: key, on: .operators).header.status == .ok)
    #expect(try reset(Self.anna).status == .rejected)
  }
}

extension ResetOTPLockoutTests {
  /// A right code of the subject, whom three wrong ones have locked out since.
  private func lockOut(_ subject: String) throws -> String {
    let code = try newCode(subject)
    for _ in 0..<3 { #expect(try check("000000", subject) == "otp-code") }
    return code
  }

  private func newCode(_ subject: String) throws -> String {
    try test.nextCode(key, of: subject).code
  }

  private func check(_ code: String, _ subject: String) throws -> String {
    try test.tryCode(code, key, of: subject)
  }

  private static func body(_ subject: String) throws -> [UInt8] {
    try written(atMost: 160) {
      let name = Array(subject.utf8)
      var request = ResetOTPLockoutRequest()
      request.subject = name.span
      try request.encode(into: &$0)
    }
  }

  private func reset(_ subject: String) throws -> (status: Status, body: [UInt8]) {
    try reset(body: Self.body(subject))
  }

  private func reset(body: [UInt8], of key: KeyID? = nil) throws -> (status: Status, body: [UInt8])
  {
    let reply = try test.call(
      .resetOTPLockout, key: key ?? self.key, body: body, from: Self.agent, on: .operators)
    return (reply.header.status, reply.body)
  }

  private func waiting(_ subject: String, of key: KeyID? = nil) throws -> String {
    let reply = try reset(body: Self.body(subject), of: key)
    try #require(reply.status == .approvalNeeded)
    let body = reply.body
    return try ApprovalNeeded(MessageReader(body.span)).request
  }

  private func approve(_ name: String, by caller: Caller) throws -> Status {
    let body = try written(atMost: 64) { try ApproveRequest(request: name).encode(into: &$0) }
    return try test.call(.approve, body: body, from: caller, on: .operators).header.status
  }

  private func reset(_ subject: String, of key: KeyID, approvedBy caller: Caller) throws -> Status {
    #expect(try approve(waiting(subject, of: key), by: caller) == .ok)
    return try reset(body: Self.body(subject), of: key).status
  }

  /// Asks, has it approved and asks again; how many wrong codes were forgotten.
  private func resetByTwo(_ subject: String) throws -> UInt32 {
    #expect(try approve(waiting(subject), by: Self.second) == .ok)
    let reply = try reset(subject)
    try #require(reply.status == .ok)
    let body = reply.body
    return try ResetOTPLockoutReply(MessageReader(body.span)).failures
  }

  private func list() throws -> [PendingRequest] {
    let body = try test.call(.listRequests, from: Self.second, on: .operators).body
    return try ListRequestsReply(MessageReader(body.span)).requests
  }
}
