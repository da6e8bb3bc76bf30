import Crypto
import Format
import Host
import KeyStore
import Operations
import Service
import ServiceHarness
import TestSupport
import Testing

/// Files of the key store that are older than the audit log: the log is believed.
@Suite struct OldStateTests {
  private let test: TestService
  private let (codes, limited): (KeyID, KeyID)

  init() throws {
    test = try TestService()
    try test.unlock()
    codes = try test.generateKey("merchant/acme/codes", "otp-hotp") {
      ($0.otp.digits, $0.otp.hash, $0.otp.window, $0.otp.failures, $0.otp.lockout) = (
        6, .sha256, 3, 5, 60
      )
    }
    limited = try test.generateKey("merchant/acme/limited") { $0.useLimit = 5 }
  }

  private func newCode() throws -> [UInt8] {
    let reply = try test.call(.signOTP, key: codes)
    try #require(reply.header.status == .ok)
    let body = reply.body.span
    return try SignOTPReply(MessageReader(body)).otp.array
  }

  /// The stage by which a code is refused; nil where it is right.
  private func refusal(_ code: [UInt8], _ test: TestService) throws -> Stage? {
    let body = try written(atMost: 64) {
      let nobody: [UInt8] = []
      var request = VerifyOTPRequest()
      request.subject = nobody.span
      request.code = code.span
      try request.encode(into: &$0)
    }
    let reply = try test.call(.verifyOTP, key: codes, body: body)
    guard reply.header.status == .rejected else { return nil }
    let rejected = reply.body.span
    return try Rejection(MessageReader(rejected)).stage
  }

  /// The files of the key store, as `cp -a` takes them.
  private func snapshot() throws -> [String: [UInt8]] {
    Dictionary(
      uniqueKeysWithValues: try test.disk.list("/state/keys").map {
        ($0, test.disk.contents("/state/keys/" + $0) ?? [])
      })
  }

  /// What the next daemon finds after a crash, with these files as they were.
  private func after(_ old: [String: [UInt8]], _ isPutBack: (String) -> Bool) throws -> TestService
  {
    let disk = test.disk.afterCrash(.keepsUnsynced)
    for (name, bytes) in old where isPutBack(name) { disk.plant("/state/keys/" + name, bytes) }
    let next = try TestService(on: disk)
    try next.unlock()
    return next
  }

  @Test(
    "[KS-LEDGER-OLDER] a used code is never right again: neither with an older ledger, nor with the whole store as it was"
  )
  func codesStayUsed() throws {
    _ = try newCode()
    let old = try snapshot()
    let code = try newCode()
    #expect(try refusal(code, test) == nil)
    #expect(try refusal(code, test) == .otpCode)
    #expect(try refusal(code, after(old) { _ in false }) == .otpCode)
    #expect(try refusal(code, after(old) { $0.hasSuffix(".otp") }) == .otpNotRestored)
    #expect(try refusal(code, after(old) { $0 != "lock" }) == .otpNotRestored)
    let disk = test.disk.afterCrash(.keepsUnsynced)
    for name in old.keys where name.hasSuffix(".otp") { disk.unplant("/state/keys/" + name) }
    let next = try TestService(on: disk)
    try next.unlock()
    #expect(try refusal(code, next) == .otpNotRestored)
  }

  @Test(
    "[KS-LEDGER-OLDER] wrong codes are not forgotten either: a lock-out outlives an older ledger")
  func lockOutsStay() throws {
    let old = try snapshot()
    let code = try newCode()
    for _ in 0..<5 {
      #expect(try refusal([UInt8](repeating: UInt8(ascii: "0"), count: 6), test) == .otpCode)
    }
    #expect(try refusal(code, test) == .otpLocked)
    #expect(try refusal(code, after(old) { $0.hasSuffix(".otp") }) == .otpNotRestored)
    // Locked in order: the manifest knows it, whatever the log's later records say.
    #expect(test.service.stop())
    #expect(try refusal(code, after(old) { $0.hasSuffix(".otp") }) == .otpNotRestored)
  }

  @Test(
    "[KS-COUNTER] a limit of uses is not lengthened by an older counter, nor by none",
    arguments: [false, true])
  func limitsHold(_ isStopped: Bool) throws {
    #expect(try test.mac(limited).header.status == .ok)
    let old = try snapshot()
    for _ in 0..<3 { #expect(try test.mac(limited).header.status == .ok) }
    if isStopped { #expect(test.service.stop()) }
    let gone = test.disk.afterCrash(.keepsUnsynced)
    for name in old.keys where name.hasSuffix(".ctr") { gone.unplant("/state/keys/" + name) }
    let bare = try TestService(on: gone)
    try bare.unlock()
    for next in [bare, try after(old) { $0.hasSuffix(".ctr") }] {
      #expect(try next.mac(limited).header.status == .ok)
      #expect(try next.mac(limited).header.status == .rejected)
    }
  }
}
