import Doctor
import Format
import Host
import KistClient

extension Command {
  static let tokenOpen = Command(
    name: "token open",
    summary: "open an Apple Pay token and print the released fields",
    usage: """
      Usage: kist token open FILE|- [OPTIONS]

      Takes Apple's JSON, or base64 of it, and prints the fields that policy releases
      to standard output. They are cardholder data: mind where they go. A token opens
      once.

        --field FIELD           only this field; may be repeated (default: all that
                                policy releases)
        --require FIELD         refuse the token, and leave it unopened, unless it
                                gives this field; may be repeated
        --currency CODE         refuse another currency; three digits, such as 840
        --amount N              refuse another amount, in minor units
        --application-data HEX  refuse other application data: its SHA-256
        --retry-key HEX         16 random bytes of your own: with them the same
                                command opens the token again after a lost answer,
                                within the merchant's retry_window
        --json                  answer in JSON
        --socket PATH           the daemon's socket (default: KIST_ENDPOINT, or
                                /run/kist/kist.sock)
        --timeout S             give up after so many seconds (default: 10)

      Examples:
        kist token open token.json --field last4 --field network
        kist token open token.json --require dpan --require cryptogram

      """,
    options: [
      .values("field"), .values("require"), "currency", "amount",
      "application-data", "retry-key", .json,
    ],
    daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let fields = try arguments.fields("field")
    let required = try arguments.fields("require")
    let expectation = try expectation(arguments)
    let retryKey = try arguments.retryKey()
    let token = try PaymentToken.read(arguments.operands[0])
    let daemon = try Daemon(arguments)
    let opened = try daemon.ask(
      daemon.client.openPaymentToken(
        token, fields: fields, required: required, expecting: expectation, retryKey: retryKey,
        sendsAgain: false),
      meaning: { (refusal) throws(CommandFailure) in
        try meaning(of: refusal, for: token, daemon)
      })
    if arguments.has("json") { try opened.writeJSON() } else { try opened.writeTable() }
    let missing = opened.lacking(fields)
    if !missing.isEmpty {
      Output.complain("kist token open: not released, or not in the token: \(missing)\n")
    }
  }

  /// The field that the token was not opened for, or the key that it needs, as far as this caller
  /// may know it.
  private static func meaning(
    of refusal: ClientError.Refusal, for token: PaymentToken, _ daemon: Daemon
  ) throws(CommandFailure) -> String? {
    if refusal.stage == Stage.notReleased.name, let field = refusal.field {
      return
        "the grant does not release \(field), or the token has none: it was not opened, and can be opened without --require \(field)"
    }
    guard refusal.status == Status.denied.name else { return nil }
    let id = Array(token.publicKeyHash.prefix(KeyID.byteCount))
    guard let key = try daemon.visibleKeys.first(where: { $0.id == id }) else {
      return
        "the token was made for key \(Hex.encode(id)), which you may not see (kist key list --wide)"
    }
    return
      "the token was made for \(key.label), and policy grants you no such request with it: see kist policy explain"
  }

  private static func expectation(_ arguments: Arguments) throws(CommandFailure)
    -> PaymentExpectation
  {
    let currency = arguments.value("currency")
    if let currency, currency.utf8.count != 3 || !currency.utf8.allSatisfy(\.isDigit) {
      throw .usage("--currency takes three digits (ISO 4217), not '\(currency)'")
    }
    let amount = try arguments.number("amount", in: 0...UInt64.max)
    return PaymentExpectation(
      currency: currency, amount: amount, applicationData: try arguments.applicationData())
  }
}

extension Arguments {
  func retryKey() throws(CommandFailure) -> RetryKey? {
    try value("retry-key", "32 hexadecimal digits, such as those of openssl rand -hex 16") {
      Hex.decode($0).flatMap { RetryKey($0) }
    }
  }
}

extension Command {
  static let tokenVerify = Command(
    name: "token verify",
    summary: "verify an Apple Pay token without opening it",
    usage: """
      Usage: kist token verify FILE|- [--application-data HEX] [OPTIONS]

      Takes Apple's JSON, or base64 of it, and has Apple's signature checked as for
      opening it. Apple signs key, data, transaction id and application data as one
      text, without their lengths: only opening the token shows that bytes were moved
      from one to the next. So do not count or compare by the transaction id of a
      token that was only verified.

        --application-data HEX  refuse other application data: its SHA-256
        --json                  answer in JSON
        --socket PATH           the daemon's socket (default: KIST_ENDPOINT, or
                                /run/kist/kist.sock)
        --timeout S             give up after so many seconds (default: 10)

      Exit codes: 0 the signature is good, 1 it is not, or nobody could say.

      """,
    options: ["application-data", .json], daemon: .services,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let applicationData = try arguments.applicationData() ?? []
    let token = try PaymentToken.read(arguments.operands[0])
    let daemon = try Daemon(arguments)
    let seconds = try daemon.ask(
      daemon.client.verifyPaymentToken(token, applicationData: applicationData))
    let signed = Timestamp(reported: seconds)?.wholeSeconds ?? "-"
    arguments.answer(
      ["ok": true, "signing_time": signed],
      "good, signed \(signed); where data ends and the transaction id begins is proven only by opening it\n"
    )
  }
}

extension PaymentToken {
  /// Apple's JSON from a file, or from standard input for `-`.
  static func read(_ path: String) throws(CommandFailure) -> PaymentToken {
    let text = try Input(path: path).contents(limit: 512 << 10)
    let problems = TokenDiagnosis.problems(ofForm: text.span)
    guard problems.isEmpty else {
      throw .failed(
        "\(path): " + problems.map(\.sentence).joined(separator: "; ") + "; see kist token diagnose"
      )
    }
    do throws(Unpacking) { return try PaymentToken(appleJSON: text) } catch {
      throw .failed("\(path): no payment token; see kist token diagnose")
    }
  }
}

extension Arguments {
  /// `--application-data`, 32 bytes in hexadecimal.
  func applicationData() throws(CommandFailure) -> [UInt8]? {
    guard let text = value("application-data") else { return nil }
    guard let bytes = Hex.decode(text), bytes.count == 32 else {
      throw .usage("--application-data takes a SHA-256 in 64 hexadecimal digits")
    }
    return bytes
  }
}
