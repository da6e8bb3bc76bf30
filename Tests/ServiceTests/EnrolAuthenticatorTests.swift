import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// [OP-OTP-11] [OP-OTP-12] `enrol-authenticator`: a person's secret leaves once, and each new one
/// ends the one before.
@Suite struct EnrolAuthenticatorTests {
  private static let anna = "cardholder-anna", ben = "cardholder-ben"
  private static let first = [UInt8](repeating: 1, count: 16),
    second = [UInt8](repeating: 2, count: 16)
  /// HMAC-OTP keys are 16 to 64 bytes; the test's own, so that secrets can be computed beside the
  /// daemon.
  private static let key = Array("12345678901234567890".utf8)

  private let test: TestService
  private let (timed, counted): (KeyID, KeyID)

  init() throws {
    test = try TestService()
    try test.unlock()
    timed = try Self.imported("merchant/acme/totp", "otp-totp", test) {
      ($0.digits, $0.step, $0.window, $0.failures, $0.lockout) = (6, 30, 1, 3, 3600)
    }
    counted = try Self.imported("merchant/acme/hotp", "otp-hotp", test) {
      ($0.digits, $0.hash, $0.window) = (8, .sha256, 3)
    }
  }

  @Test(
    "[OP-OTP-11] the secret is HMAC(key, name ‖ 00 ‖ number ‖ subject), as long as the key's hash, with how codes are made"
  )
  func secrets() throws {
    let enrolled = try enrol(timed, Self.anna, Self.first)
    #expect(try enrolled.secret == Self.secret(1, Self.anna, .sha1) && enrolled.number == 1)
    #expect(enrolled.otp.digits == 6 && enrolled.otp.step == 30 && enrolled.otp.hash == .sha1)
    let other = try enrol(counted, Self.anna, Self.first)
    #expect(
      try other.secret == Self.secret(1, Self.anna, .sha256) && other.secret.count == 32
        && other.otp.step == 0)
    #expect(
      try enrol(timed, Self.ben, Self.first).secret == Self.secret(1, Self.ben, .sha1),
      "each subject is numbered by itself")
  }

  @Test(
    "[OP-OTP-11] the authenticator's codes are right, once each, and what sign-otp makes is what the authenticator shows",
    arguments: [true, false])
  func codes(isTimed: Bool) throws {
    let key = isTimed ? timed : counted
    let enrolled = try enrol(key, Self.anna, Self.first)
    let shown = try Self.shown(enrolled, isTimed ? UInt64(TestService.start.seconds / 30) : 0)
    #expect(try signed(key, Self.anna) == shown)
    #expect(try verify(shown, key, Self.anna) == "ok")
    #expect(try verify(shown, key, Self.anna) == "otp-code")
    #expect(try verify(shown, key, Self.ben) == "otp-code")
  }

  @Test(
    "[OP-OTP-11] a later enrolment ends the codes of the secret before, also of the one that nobody enrolled",
    arguments: [true, false])
  func endsTheOneBefore(isTimed: Bool) throws {
    let key = isTimed ? timed : counted
    let unenrolled = try signed(key, Self.anna)
    let old = try enrol(key, Self.anna, Self.first)
    #expect(try verify(unenrolled, key, Self.anna) == "otp-code")
    let new = try enrol(key, Self.anna, Self.second)
    #expect(new.number == 2 && new.secret != old.secret)
    let counter = isTimed ? UInt64(TestService.start.seconds / 30) : 0
    #expect(try verify(Self.shown(old, counter), key, Self.anna) == "otp-code")
    #expect(try verify(Self.shown(new, counter), key, Self.anna) == "ok")
  }

  @Test("[OP-OTP-11] the number outlives a kill, and a secret before never comes back")
  func afterKill() throws {
    let old = try enrol(counted, Self.anna, Self.first)
    let new = try enrol(counted, Self.anna, Self.second)
    let next = try TestService(on: test.disk.afterCrash(.losesUnsynced))
    try next.unlock()
    #expect(try verify(Self.shown(old, 0), counted, Self.anna, next) == "otp-code")
    #expect(
      try enrol(counted, Self.anna, Self.second, next).secret == new.secret,
      "the same request again, over a kill")
    #expect(try verify(Self.shown(new, 0), counted, Self.anna, next) == "ok")
    #expect(
      try enrol(counted, Self.anna, Self.first, next).number == 3,
      "an older request's key is no older secret's")
  }

  @Test(
    "[OP-OTP-12] the same request again has the same answer until the first code, and then enrols anew"
  ) func again() throws {
    let first = try enrol(timed, Self.anna, Self.first)
    #expect(try verify("000000", timed, Self.anna) == "otp-code")
    let again = try enrol(timed, Self.anna, Self.first)
    #expect(again.secret == first.secret && again.number == 1)
    #expect(
      try verify(Self.shown(first, UInt64(TestService.start.seconds / 30)), timed, Self.anna)
        == "ok")
    let late = try enrol(timed, Self.anna, Self.first)
    #expect(late.secret != first.secret && late.number == 2)
  }

  @Test("[OP-OTP-12] a counted code that was given out ends repeating, too") func givenOut() throws
  {
    let first = try enrol(counted, Self.anna, Self.first)
    _ = try signed(counted, Self.anna)
    #expect(try enrol(counted, Self.anna, Self.first).secret != first.secret)
  }

  @Test("[OP-OTP-11] it ends a lock-out, and wrong codes lock out again") func lockedOut() throws {
    for _ in 0..<3 { #expect(try verify("000000", timed, Self.anna) == "otp-code") }
    #expect(try verify("000000", timed, Self.anna) == "otp-locked")
    let enrolled = try enrol(timed, Self.anna, Self.first)
    for _ in 0..<3 { #expect(try verify("000000", timed, Self.anna) == "otp-code") }
    #expect(
      try verify(Self.shown(enrolled, UInt64(TestService.start.seconds / 30)), timed, Self.anna)
        == "otp-locked")
  }

  @Test(
    "[OP-OTP-11] the record has the subject's keyed digest and the ledger's changes, and the log neither subject nor secret"
  ) func onTheRecord() throws {
    let enrolled = try enrol(timed, Self.anna, Self.first)
    let record = try #require(try test.records().last)
    #expect(
      record.operation == "enrol-authenticator" && record.inputs.subject != nil
        && record.inputs.ledger == 1)
    for name in try test.disk.list("/audit") {
      let text = String(decoding: test.disk.contents("/audit/" + name) ?? [], as: UTF8.self)
      #expect(!text.contains(Self.anna) && !text.contains(Hex.encode(enrolled.secret)))
    }
  }

  @Test("refused: a key of another role, a retired one, nobody, and a retry key of another size")
  func refusals() throws {
    let other = try test.generateKey("merchant/acme/none")
    #expect(try call(other, Self.anna, Self.first).header.status == .denied)
    let name = [0x0A, 1, 0x61] as [UInt8]
    let long = [0x0A, 129, 1] + [UInt8](repeating: 0x61, count: 129)
    for body in [
      [0x12, 16] + Self.first, name, name + [0x12, 15] + Self.first.dropLast(),
      long + [0x12, 16] + Self.first,
    ] {
      #expect(
        try test.call(.enrolAuthenticator, key: timed, body: body).header.status == .malformed)
    }
    #expect(try test.call(.retireKey, key: timed, on: .operators).header.status == .ok)
    #expect(try call(timed, Self.anna, Self.first).header.status == .denied)
    #expect(try verify("000000", timed, Self.anna) == "otp-code", "a retired key still checks")
  }

  @Test("refused without a grant of its own, and policy demands a limit") func policy() throws {
    let rule = try Rule(
      id: "codes", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.verifyOTP], keys: [.prefix("")])
    let test = try TestService(on: test.disk.afterCrash(.keepsUnsynced), grants: [rule])
    try test.unlock()
    #expect(try call(timed, Self.anna, Self.first, test).header.status == .denied)
    #expect(throws: (any Error).self) {
      try Rule(
        id: "enrol", callers: CallerRule(users: [Principal(id: 1)]),
        operations: [.enrolAuthenticator], keys: [.prefix("")])
    }
  }

  private static func imported(
    _ label: String, _ role: String, _ test: TestService, _ adjust: (inout OTPParameters) -> Void
  ) throws -> KeyID {
    let body = try written(atMost: 1024) {
      var request = ImportKeyRequest()
      request.label = label
      request.role = role
      request.activate = true
      request.privateKey = key.span
      adjust(&request.otp)
      try request.encode(into: &$0)
    }
    let reply = try test.call(.importKey, body: body, on: .operators)
    try #require(reply.header.status == .ok)
    let described = reply.body
    let id = try KeyDescription(MessageReader(described.span)).id
    let found = KeyID(prefixOf: id.span)
    return try #require(found)
  }

  /// As PROTOCOL.md has it.
  private static func secret(_ number: UInt32, _ subject: String, _ hash: OTPHash) throws -> [UInt8]
  {
    let message =
      Array("kist/otp-enrolment/v1".utf8) + [0] + number.bigEndianBytes + Array(subject.utf8)
    let secret = try HOTP.authenticate(key: key.span, message.span, hash)
    return secret.bytes.array
  }

  /// What an authenticator shows.
  private static func shown(_ enrolled: Enrolled, _ counter: UInt64) throws -> String {
    let hash = enrolled.hash
    let secret = enrolled.secret
    let code = try HOTP.code(
      key: secret.span, counter: counter, digits: Int(enrolled.otp.digits), hash: hash)
    return String(decoding: code.bytes.array, as: UTF8.self)
  }

  private struct Enrolled {
    let secret: [UInt8]
    let number: UInt32
    let otp: OTPParameters

    var hash: OTPHash { otp.hash == .sha256 ? .sha256 : .sha1 }
  }

  private func call(
    _ key: KeyID, _ subject: String, _ retryKey: [UInt8], _ test: TestService? = nil
  ) throws -> (header: ReplyHeader, body: [UInt8]) {
    let body = try written(atMost: 256) {
      let name = Array(subject.utf8)
      var request = EnrolAuthenticatorRequest()
      request.subject = name.span
      request.retryKey = retryKey.span
      try request.encode(into: &$0)
    }
    return try (test ?? self.test).call(.enrolAuthenticator, key: key, body: body)
  }

  private func enrol(
    _ key: KeyID, _ subject: String, _ retryKey: [UInt8], _ test: TestService? = nil
  ) throws -> Enrolled {
    let reply = try call(key, subject, retryKey, test)
    try #require(reply.header.status == .ok)
    let body = reply.body
    let answer = try EnrolAuthenticatorReply(MessageReader(body.span))
    return Enrolled(secret: answer.secret.array, number: answer.number, otp: answer.otp)
  }

  private func signed(_ key: KeyID, _ subject: String) throws -> String {
    try test.nextCode(key, of: subject).code
  }

  private func verify(_ code: String, _ key: KeyID, _ subject: String, _ test: TestService? = nil)
    throws -> String
  {
    try (test ?? self.test).tryCode(code, key, of: subject)
  }
}
