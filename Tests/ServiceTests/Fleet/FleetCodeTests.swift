import Audit
import Crypto
import Format
import KeyStore
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// [FLEET-F6] One-time codes of keys that several hosts have.
@Suite struct FleetCodeTests {
  private let scene: FleetScene
  private static let anna = "cardholder-anna"

  init() throws { scene = try FleetScene() }

  /// What a right code of time is at the moment.
  private func code(_ host: FleetScene.Host, _ label: String = "codes/totp") throws -> (
    text: String, code: String
  ) {
    let made = try host.service.nextCode(host.key(label), of: Self.anna)
    return (made.outcome, made.code)
  }

  private func verify(
    _ code: String, _ host: FleetScene.Host, _ label: String = "codes/totp", subject: String = anna
  ) throws -> String {
    try host.service.tryCode(code, host.key(label), of: subject)
  }

  private func ask(_ opcode: Opcode, _ label: String, _ body: [UInt8], _ host: FleetScene.Host)
    throws -> (text: String, body: [UInt8])
  {
    let reply = try host.service.call(opcode, key: host.key(label), body: body)
    guard reply.header.status == .rejected else { return (reply.header.status.name, reply.body) }
    return (try Rejection(MessageReader(reply.body.span)).stage.name, [])
  }

  @Test(
    "[FLEET-F6] a code of time is right once in the fleet; elsewhere it is refused, and counts as no guess"
  ) func once() throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    let code = try code(rome).code
    #expect(try verify(code, paris) == "ok")
    #expect(try verify(code, paris) == "otp-code")
    for _ in 0..<12 { #expect(try verify(code, rome) == "otp-code") }
    for wrong in ["000000", "000001", "000002"] { #expect(try verify(wrong, rome) == "otp-code") }
    #expect(try verify(code, rome) == "otp-locked")
    let record = try #require(
      paris.service.records().first { $0.opcode == .verifyOTP && $0.status == .ok })
    #expect(
      scene.store.holders.map {
        [$0.key.bytes == record.inputs.claim?.bytes ? "claim" : "", $0.value]
      } == [["claim", "paris"]])
    #expect(
      scene.store.asked.flatMap { $0 }.allSatisfy { $0.retryDigest == .zero && $0.day == 20_254 })
  }

  @Test("[FLEET-F6] the next code is right on the other host") func next() throws {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    #expect(try verify(code(paris).code, paris) == "ok")
    scene.tokens.clock.now = scene.start.adding(seconds: 30)
    #expect(try verify(code(paris).code, rome) == "ok")
  }

  @Test(
    "[FLEET-F6] wrong codes and a locked out subject's are not claimed, and a wrong one is durable before anything else is asked"
  ) func wrong() throws {
    let paris = try scene.host("paris")
    let right = try code(paris).code
    for _ in 0..<3 { #expect(try verify("000000", paris) == "otp-code") }
    #expect(try verify(right, paris) == "otp-locked")
    #expect(scene.store.asked.isEmpty)
    #expect(try verify(right, scene.host("paris", on: paris.afterCrash())) == "otp-locked")
  }

  @Test(
    "[FLEET-F6] [FLEET-F3] while the store is away no code is right, and none is used up; nor for a merchant's local claims"
  ) func away() throws {
    let paris = try scene.host("paris", opensLocally: true)
    let right = try code(paris).code
    scene.store.isAway = true
    for _ in 0..<4 { #expect(try verify(right, paris) == "busy") }
    #expect(try paris.service.records().last?.stage == "claims")
    scene.store.isAway = false
    #expect(try verify(right, paris) == "ok")
  }

  @Test("[FLEET-F6] a claim whose answer was lost leaves the code to its host") func lostAnswer()
    throws
  {
    let paris = try scene.host("paris")
    let rome = try scene.host("rome")
    let right = try code(paris).code
    scene.store.losesAnswers = true
    #expect(try verify(right, paris) == "busy")
    scene.store.losesAnswers = false
    #expect(try verify(right, rome) == "otp-code")
    #expect(try verify(right, paris) == "ok")
  }

  @Test(
    "[FLEET-F6] codes by counter are made and checked at their key's home alone, without the store")
  func home() throws {
    let paris = try scene.host("paris", homeKeys: ["codes/hotp"])
    let rome = try scene.host("rome", homeKeys: ["codes/other"])
    #expect(try code(rome, "codes/hotp").text == "otp-home")
    let right = try code(paris, "codes/hotp").code
    #expect(try verify(right, rome, "codes/hotp") == "otp-home")
    scene.store.isAway = true
    #expect(try verify(right, paris, "codes/hotp") == "ok")
    #expect(
      try rome.service.records().filter { $0.stage == "otp-home" }.count == 2
        && scene.store.asked.isEmpty)
  }

  @Test(
    "[OP-OTP-11] authenticators are enrolled at the home of codes by counter, and not for codes of time"
  ) func enrolments() throws {
    let paris = try scene.host("paris", homeKeys: ["codes/hotp"])
    let rome = try scene.host("rome")
    let body = try written(atMost: 160) {
      let name = Array(Self.anna.utf8)
      let retryKey = [UInt8](repeating: 1, count: 16)
      var request = EnrolAuthenticatorRequest()
      request.subject = name.span
      request.retryKey = retryKey.span
      try request.encode(into: &$0)
    }
    #expect(try ask(.enrolAuthenticator, "codes/hotp", body, paris).text == "ok")
    #expect(try ask(.enrolAuthenticator, "codes/hotp", body, rome).text == "otp-home")
    for host in [paris, rome] {
      #expect(try ask(.enrolAuthenticator, "codes/totp", body, host).text == "otp-home")
    }
  }
}
