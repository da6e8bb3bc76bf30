import Format
import Host
import KistClient

extension Command {
  static let otpEnrol = Command(
    name: "otp enrol",
    summary: "give a person's authenticator a new secret",
    usage: """
      Usage: kist otp enrol --key LABEL|ID --subject TEXT [OPTIONS]

      Prints an otpauth URI, which qrencode -t ANSIUTF8 draws as the QR code that
      authenticator apps read, and which holds the secret: mind where it goes. From
      then on only the codes of this authenticator are right, and those of the
      person's one before are wrong.

        --key LABEL|ID   the key that makes the codes
        --subject TEXT   whose authenticator
        --issuer NAME    who issues the codes, for the app to show
        --account NAME   the person's account, for the app to show (default: the
                         subject)
        --retry-key HEX  16 random bytes of your own: with them the same command gives
                         the same secret after a lost answer, until its first code
        --json           answer in JSON
        --socket PATH    the daemon's socket (default: KIST_ENDPOINT, or
                         /run/kist/kist.sock)
        --timeout S      give up after so many seconds (default: 10)

      Example:
        kist otp enrol --key issuer/acme/codes --subject customer-7 --issuer Acme

      """,
    options: [
      .key, "subject", "issuer", "account", "retry-key", .json,
    ], daemon: .services,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let key = try arguments.required("key")
    let subject = try arguments.required("subject")
    let label = try AuthenticatorLabel(
      issuer: arguments.value("issuer"), account: arguments.value("account") ?? subject)
    let retryKey = try arguments.retryKey() ?? RetryKey()
    let daemon = try Daemon(arguments)
    let id = try daemon.key(key)
    let enrolled = try daemon.ask(
      daemon.client.enrolAuthenticator(subject: subject, retryKey: retryKey, key: id))
    try enrolled.write(label, inJSON: arguments.has("json"))
  }
}

/// What an authenticator app shows beside its codes.
private struct AuthenticatorLabel {
  /// Percent-encoded.
  let issuer: String?
  let account: String

  init(issuer: String?, account: String) throws(CommandFailure) {
    for name in [issuer ?? "", account] where name.utf8.count > 128 {
      throw .usage("a name has at most 128 bytes, not \(name.utf8.count)")
    }
    // A colon separates the two.
    guard issuer?.contains(":") != true else {
      throw .usage("--issuer takes a name without a colon")
    }
    guard !account.contains(":") else {
      throw .usage("an account has no colon: name another by --account")
    }
    self.issuer = issuer.map(Self.encoded)
    self.account = Self.encoded(account)
  }

  /// RFC 3986 §2.1: all but unreserved characters.
  private static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      let scalar = Unicode.Scalar(byte)
      let isUnreserved =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "-._~".unicodeScalars.contains(scalar))
      encoded += isUnreserved ? String(scalar) : "%" + Hex.encode([byte]).uppercased()
    }
  }
}

extension EnrolledAuthenticator {
  /// Writes the secret from the reply to standard output, through secret memory.
  fileprivate borrowing func write(_ label: AuthenticatorLabel, inJSON: Bool) throws(CommandFailure)
  {
    var text = try SecretText(capacity: 4096)
    if inJSON {
      text.add(
        "{" + (auditSequence.map { "\"audit_sequence\":\($0)," } ?? "")
          + "\"number\":\(number),\"uri\":\"")
    }
    text.add(
      "otpauth://\(step == nil ? "hotp" : "totp")/" + (label.issuer.map { $0 + ":" } ?? "")
        + label.account + "?secret=")
    withSecret { text.addBase32($0) }
    text.add(label.issuer.map { "&issuer=" + $0 } ?? "")
    text.add(
      "&algorithm=\(algorithm)&digits=\(digits)" + (step.map { "&period=\($0)" } ?? "&counter=0"))
    text.add(inJSON ? "\"}\n" : "\n")
    text.write()
  }
}

extension Command {
  static let otpVerify = Command(
    name: "otp verify",
    summary: "check a person's one-time code",
    usage: """
      Usage: kist otp verify --key LABEL|ID [--subject TEXT] [OPTIONS]

      Each code is accepted once. After several wrong codes the subject is locked out
      for a while. The code is asked for without echo, or read from a descriptor.

        --key LABEL|ID  the key that made the code
        --subject TEXT  whom it was made for (default: the key's own codes)
        --code-fd N     read the code from this open descriptor, one line
        --json          answer in JSON
        --socket PATH   the daemon's socket (default: KIST_ENDPOINT, or
                        /run/kist/kist.sock)
        --timeout S     give up after so many seconds (default: 10)

      Exit codes: 0 the code is right, 1 it is not, or nobody could say.

      """,
    options: [.key, "subject", .codeDescriptor, .json], daemon: .services,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let name = try arguments.required("key")
    let daemon = try Daemon(arguments)
    let key = try daemon.key(name)
    let code = try arguments.secret(.codeDescriptor, "Code", limit: 8)
    let counter = try daemon.ask(
      daemon.client.verifyOTP(code.bytes, subject: arguments.value("subject") ?? "", key: key))
    arguments.answer(["counter": counter, "ok": true], "right\n")
  }
}

extension Command {
  static let otpReset = Command(
    name: "otp reset",
    summary: "let a person who was locked out try codes again",
    usage: """
      Usage: kist otp reset --key LABEL|ID [--subject TEXT] [--wait] [--json]
                            [--socket PATH] [--timeout S]

      Forgets the wrong codes of one person, so that a lock-out ends. A used code does
      not become valid again. Unless the configuration says otherwise, a second
      operator must approve it; kist approve --list shows for whom it is.

        --key LABEL|ID  the key that makes the codes
        --subject TEXT  whom they are for (default: the key's own codes)
        --wait          if a second operator must approve, wait for that
        --json          answer in JSON
        --socket PATH   the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                        /run/kist/admin.sock)
        --timeout S     give up after so many seconds (default: 10)

      Example:
        kist otp reset --key issuer/acme/codes --subject customer-7

      """,
    options: [.key, "subject", .wait, .json], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let name = try arguments.required("key")
    let daemon = try Daemon(arguments)
    let key = try daemon.key(name)
    let (failures, sequence) = try daemon.ask(
      daemon.client.resetOTPLockout(subject: arguments.value("subject") ?? "", key: key))
    guard !arguments.has("json") else {
      return Output.write([
        "audit_sequence": sequence, "failures": failures,
      ])
    }
    Output.write(
      "\(failures) wrong \(failures == 1 ? "code is" : "codes are") forgotten\(sequence.map { " (audit record \($0))" } ?? "")\n"
    )
  }
}
