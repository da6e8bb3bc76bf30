import Crypto
import Format
import Foundation
import Host
import KistClient
import TestSupport
import Testing

/// One-time values of a real daemon, for networks and for people.
@Suite(.serialized, .enabled(if: Oracle.isPresent, "needs ../shared/oracle"))
struct OneTimeValueTests {
  private static let pan = "5204240499131816"

  private func make(_ value: borrowing OneTimeValue) -> String { value.withValue { text($0) } }

  private func verify(_ client: Client, _ code: String, _ subject: String, _ key: [UInt8]) throws
    -> UInt64
  {
    let code = Array(code.utf8)
    return try client.verifyOTP(code.span, subject: subject, key: key)
  }

  @Test("[OP-OTP-1] [OP-OTP-2] the networks open or verify what was made for them") func networks()
    throws
  {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let visa = try client.id(OracleIssuer.visa)
    let mastercard = try client.id(OracleIssuer.mastercard)
    var (items, expected): ([[String: String]], [String]) = ([], [])
    for kind in VisaOTP.Kind.allCases {
      let isAccount = kind == .mbpad || kind == .mpad
      let otp =
        isAccount
        ? VisaOTP(kind, accountNumber: Self.pan, expiry: "0430")
        : VisaOTP(kind, nonce: [0xAB, 1], authenticationCode: "C0DE")
      let made = make(try client.signOTP(otp, key: visa))
      #expect(made.hasPrefix(kind.rawValue + "-1-FK-123456.1--TDEA-"))
      items.append(OracleIssuer.item(visa: made))
      expected.append(
        isAccount
          ? "MBPAD|123456.1|pan=\(Self.pan);expiry=0430;datetime=20250601120000"
          : "MBPAC|123456.1|nonce=ab01;authcode=C0DE")
    }
    let until = try #require(Timestamp("2025-06-20T00:00:00Z")).seconds
    for (version, reference, signed) in [
      (2, "", "\(Self.pan)Y0430N"), (2, "DWSP1", "\(Self.pan)Y0430YDWSP1"),
      (3, "", "\(Self.pan)|0430|2025-06-20T00:00:00Z"),
      (4, "", "2025-06-20T00:00:00Z|\(Self.pan)|0430"),
    ] {
      let otp = MastercardOTP(
        version: version, accountNumber: Self.pan, expiry: "0430", tokenReference: reference,
        validUntil: version == 2 ? nil : until)
      items.append(
        oracle.item(
          tav: make(try client.signOTP(otp, key: mastercard)), pan: Self.pan, expiry: "0430",
          reference: reference))
      expected.append(signed)
    }
    #expect(try oracle.open(items) == expected)
  }

  @Test("[OP-OTP-3] input for another role, or that does not go together, and a key that has ended")
  func refused() throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let visa = try client.id(OracleIssuer.visa)
    let mastercard = try client.id(OracleIssuer.mastercard)
    let hotp = try client.id(OracleIssuer.hotp)
    let account = VisaOTP(.mbpad, accountNumber: Self.pan, expiry: "0430")
    let tav = MastercardOTP(version: 3, accountNumber: Self.pan, expiry: "0430")
    let input = { (error: any Error) in named("otp-input", nil)(error) }
    #expect { _ = try client.signOTP(account, key: mastercard).counter } throws: { input($0) }
    #expect { _ = try client.signOTP(tav, key: visa).counter } throws: { input($0) }
    #expect { _ = try client.signOTP(account, key: hotp).counter } throws: { input($0) }
    #expect { _ = try client.signOTP(subject: "", key: visa).counter } throws: { input($0) }
    #expect {
      _ = try client.signOTP(
        VisaOTP(.mbpad, nonce: [1], accountNumber: Self.pan, expiry: "0430"), key: visa
      ).counter
    } throws: { input($0) }
    #expect {
      _ = try client.signOTP(
        VisaOTP(.mbpac, nonce: [1], authenticationCode: "A", expiry: "0430"), key: visa
      ).counter
    } throws: { input($0) }
    #expect {
      _ = try client.signOTP(
        MastercardOTP(
          version: 3, accountNumber: Self.pan, expiry: "0430", validUntil: 1_760_000_000),
        key: mastercard
      ).counter
    } throws: { input($0) }
    #expect { _ = try verify(client, "123456", "", visa) } throws: { refusal("denied")($0) }
    let late = try oracle.daemon(clock: "2030-01-01T00:00:01Z")
    let there = try Client(late.services)
    let ended = try there.id(OracleIssuer.visa)
    #expect { _ = try there.signOTP(account, key: ended).counter } throws: {
      named("otp-key-expired", nil)($0)
    }
  }

  @Test("[OP-OTP-4] [OP-OTP-5] the codes of RFC 4226, and others for other subjects") func counted()
    throws
  {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let key = try client.id(OracleIssuer.hotp)
    let published = [
      "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
      "520489",
    ]
    var own: [String] = []
    var others: [String] = []
    for counter in UInt64(0)..<10 {
      let mine = try client.signOTP(subject: "", key: key)
      #expect(mine.counter == counter)
      own.append(make(mine))
      others.append(make(try client.signOTP(subject: "customer-7", key: key)))
    }
    #expect(own == published)
    #expect(zip(own, others).count { $0 == $1 } < 2)
    #expect(try client.signOTP(subject: "", counter: 100, key: key).counter == 100)
    for counter in [UInt64(100), 9, 0, 1 << 53] {
      #expect { _ = try client.signOTP(subject: "", counter: counter, key: key).counter } throws: {
        named("otp-input", nil)($0)
      }
    }
  }

  @Test(
    "[OP-OTP-4] the codes of RFC 6238",
    arguments: [
      ("1970-01-01T00:00:59Z", "94287082"), ("2005-03-18T01:58:29Z", "07081804"),
      ("2033-05-18T03:33:20Z", "69279037"),
    ])
  func timed(_ clock: String, _ code: String) throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon(clock: clock)
    let client = try Client(daemon.services)
    let key = try client.id(OracleIssuer.totp)
    #expect(make(try client.signOTP(subject: "", key: key)) == code)
    let step = try verify(client, code, "", key)
    #expect(try client.signOTP(subject: "", key: key).counter == step)
    // [OP-OTP-6] Once.
    #expect { _ = try verify(client, code, "", key) } throws: { named("otp-code", nil)($0) }
    #expect { _ = try client.signOTP(subject: "", counter: 1, key: key).counter } throws: {
      named("otp-input", nil)($0)
    }
  }

  @Test(
    "[OP-OTP-6] a code is right once, within the window, and never after a later one; kill -9 changes nothing"
  ) func window() throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let key = try client.id(OracleIssuer.hotp)
    func code(_ counter: UInt64) throws -> String {
      let secret = Array("12345678901234567890".utf8)
      let code = try HOTP.code(key: secret.span, counter: counter, digits: 6, hash: .sha1)
      return text(code.bytes)
    }
    // A device of the person's counts by itself: 0 to 3 are within the window.
    #expect { _ = try verify(client, code(4), "", key) } throws: { named("otp-code", nil)($0) }
    #expect(try verify(client, code(2), "", key) == 2)
    // The last that was right is refused without counting.
    for past in [2, 2, 0, 1, 2, 2] as [UInt64] {
      #expect { _ = try verify(client, code(past), "", key) } throws: { named("otp-code", nil)($0) }
    }
    #expect { _ = try verify(client, "000000", "", key) } throws: { named("otp-code", nil)($0) }
    daemon.killHard()
    let restarted = try daemon.restarted()
    let again = try Client(restarted.services)
    // Three wrong ones in a row: locked out, as the killed daemon had it on disk.
    #expect { _ = try verify(again, code(3), "", key) } throws: { named("otp-locked", nil)($0) }
  }

  @Test(
    "[OP-IMPORT-1] a key for one-time values comes in with its parameters, and only with those of its role"
  ) func imports() throws {
    let oracle = try OracleIssuer()
    let everything = TestDaemon.everything.replacingOccurrences(
      of: #""merchant/*""#, with: #""merchant/*", "issuer/*""#)
    let daemon = try oracle.daemon(policy: everything + "\n" + OracleIssuer.policy())
    let client = try Client(daemon.operators)
    func take(
      _ label: String, _ role: String, _ key: [UInt8], _ change: (inout OTPParameters) -> Void
    ) throws -> KeyDescription {
      var otp = OTPParameters()
      change(&otp)
      var request = ImportKeyRequest()
      request.label = label
      request.role = role
      request.privateKey = key.span
      request.activate = true
      request.notAfter = 1_900_000_000
      request.otp = otp
      return try KeyDescription(try client.call(.importKey, request))
    }
    let visa = try take("issuer/acme/new-visa", "otp-visa", OracleIssuer.visaKey) {
      $0.keySet = "7.1"
    }
    #expect(
      visa.otp.keySet == "7.1" && visa.notAfter == 1_900_000_000 && visa.usage == "D0 T E"
        && visa.checkValue.count == 3)
    let codes = try take("issuer/acme/new-codes", "otp-totp", [UInt8](repeating: 3, count: 20)) {
      $0.digits = 8
    }
    #expect(
      codes.otp.digits == 8 && codes.otp.step == 30 && codes.otp.hash == .sha1
        && codes.otp.window == 1 && codes.otp.failures == 5 && codes.otp.lockout == 900)
    let made = make(try client.signOTP(subject: "s", key: codes.id))
    #expect(try verify(client, made, "s", codes.id) > 0)

    let refused = { (error: any Error) in named("key-import", nil)(error) }
    #expect { _ = try take("issuer/acme/a", "otp-visa", OracleIssuer.visaKey) { _ in } } throws: {
      refused($0)
    }
    #expect {
      _ = try take("issuer/acme/b", "otp-visa", OracleIssuer.visaKey + [1]) { $0.keySet = "7.1" }
    } throws: { refused($0) }
    #expect {
      _ = try take("issuer/acme/c", "otp-hotp", [UInt8](repeating: 3, count: 20)) { $0.step = 30 }
    } throws: { refused($0) }
    #expect {
      _ = try take("issuer/acme/d", "otp-totp", [UInt8](repeating: 3, count: 20)) { $0.digits = 9 }
    } throws: { refused($0) }
    #expect {
      _ = try take("issuer/acme/e", "otp-totp", [UInt8](repeating: 3, count: 20)) {
        $0.keySet = "7.1"
      }
    } throws: { refused($0) }
    #expect {
      _ = try take("issuer/acme/f", "sealing", [UInt8](repeating: 3, count: 32)) { $0.digits = 6 }
    } throws: { refused($0) }
  }

  @Test("[OP-OTP-6] codes that were given out and not used move the window on") func issued() throws
  {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let key = try client.id(OracleIssuer.hotp)
    var codes: [String] = []
    for _ in 0..<12 { codes.append(make(try client.signOTP(subject: "s", key: key))) }
    #expect { _ = try verify(client, codes[7], "s", key) } throws: { named("otp-code", nil)($0) }
    #expect(try verify(client, codes[8], "s", key) == 8)
    #expect(try verify(client, codes[11], "s", key) == 11)
    #expect { _ = try verify(client, codes[11], "another", key) } throws: {
      named("otp-code", nil)($0)
    }
    // A subject that has been let in starts behind that counter.
    #expect(try client.signOTP(subject: "s", key: key).counter == 12)
  }

  @Test("[OP-OTP-7] lock-outs are a subject's own, last their time, and outlive the process")
  func lockout() throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let key = try client.id(OracleIssuer.hotp)
    let code = make(try client.signOTP(subject: "s", key: key)),
      other = make(try client.signOTP(subject: "t", key: key))
    let wrong = code == "000000" ? "000001" : "000000"
    for _ in 0..<3 {
      #expect { _ = try verify(client, wrong, "s", key) } throws: { named("otp-code", nil)($0) }
    }
    #expect { _ = try verify(client, code, "s", key) } throws: { named("otp-locked", nil)($0) }
    #expect(try verify(client, other, "t", key) == 0)
    daemon.killHard()
    try daemon.setClock("2025-06-01T12:00:59Z")
    let still = try daemon.restarted()
    #expect { _ = try verify(Client(still.services), code, "s", key) } throws: {
      named("otp-locked", nil)($0)
    }
    still.killHard()
    try daemon.setClock("2025-06-01T12:01:00Z")
    let after = try daemon.restarted()
    let again = try Client(after.services)
    for _ in 0..<3 {
      #expect { _ = try verify(again, wrong, "s", key) } throws: { named("otp-code", nil)($0) }
    }
    after.killHard()
    // The second one lasts twice as long.
    try daemon.setClock("2025-06-01T12:02:59Z")
    let longer = try daemon.restarted()
    #expect { _ = try verify(Client(longer.services), code, "s", key) } throws: {
      named("otp-locked", nil)($0)
    }
    longer.killHard()
    try daemon.setClock("2025-06-01T12:03:00Z")
    let open = try daemon.restarted()
    #expect(try verify(Client(open.services), code, "s", key) == 0)
  }

  @Test("no card, code, nonce signature or key is in anything that the daemon wrote")
  func canaries() throws {
    let oracle = try OracleIssuer()
    let daemon = try oracle.daemon()
    let client = try Client(daemon.services)
    let visa = try client.id(OracleIssuer.visa)
    let mastercard = try client.id(OracleIssuer.mastercard)
    let hotp = try client.id(OracleIssuer.hotp)
    let pan = "4929123412341234"
    let name = "Canary Cardholder"
    let code = "CANARYCODE42"
    let (nonce, signature) = (Array("canary-nonce".utf8), Array("canary-nonce-signature".utf8))
    var seen: [String] = []
    for card in [
      PassRequest.Card.accountNumber(.digits(pan), name: name, expiration: "12/30"),
      .accountNumber(.digits(pan + "x"), name: name, expiration: "12/30"),
    ] {
      let request = PassRequest(
        certificates: [oracle.leaf, oracle.intermediate], nonce: nonce, nonceSignature: signature,
        card: card,
        activation: .visa(VisaOTP(.mbpac, authenticationCode: code)))
      if let pass = try? client.provisionPass(request, key: visa) {
        seen.append(String(decoding: pass.activationData, as: UTF8.self))
      }
    }
    seen.append(
      make(try client.signOTP(MastercardOTP(accountNumber: pan, expiry: "1230"), key: mastercard)))
    _ = try? client.signOTP(VisaOTP(.mbpad, accountNumber: pan, expiry: "9930"), key: visa).counter
    let digits = make(try client.signOTP(subject: "canary-subject", key: hotp))
    _ = try? verify(client, "31415926", "canary-subject", hotp)
    _ = try verify(client, digits, "canary-subject", hotp)
    #expect(seen.count == 2)
    daemon.stop()

    let words =
      seen + [
        pan, name, code, "canary", "31415926", "12345678901234567890",
        Hex.encode(OracleIssuer.visaKey), Hex.encode(Array(pan.utf8)), Hex.encode(nonce),
        Hex.encode(signature), Base64.encode(signature), Base64.encode(Array(pan.utf8)),
      ]
    var haystack = daemon.readErrors()
    let files =
      FileManager.default.enumerator(atPath: daemon.directory.path)?.compactMap { $0 as? String }
      ?? []
    for file in files where file.hasPrefix("audit/") || file.hasPrefix("state/") {
      if let data = FileManager.default.contents(atPath: daemon.directory.path + "/" + file) {
        haystack += String(decoding: data, as: UTF8.self)
      }
    }
    #expect(haystack.contains("provision-pass") && haystack.contains("field-value"))
    for word in words { #expect(!haystack.localizedCaseInsensitiveContains(word), "\(word)") }
    // Six digits may be part of a number; nothing calls itself a code, though.
    #expect(!haystack.contains("\"\(digits)\""))
  }
}
