import Host
import KistClient

extension Command {
  static let otpSign = Command(
    name: "otp sign",
    summary: "make a one-time value for a network or a person",
    usage: """
      Usage: kist otp sign --key LABEL|ID [OPTIONS]

      Prints the value that the key's role makes. Card numbers and authentication
      codes are asked for without echo, or read from a descriptor.

        --key LABEL|ID         the key; its role says which of these options it takes

        --subject TEXT         whom a code is for (default: the key's own codes)
        --counter N            the counter of a HOTP code (default: the next)

        --visa TYPE            MBPAC, MBPAD, MPAC or MPAD
        --nonce HEX            MBPAC and MPAC: Apple's nonce
        --code-fd N            MBPAC and MPAC: the authentication code

        --mastercard VERSION   2, 3 or 4
        --token-reference TEXT version 2: the token's unique reference
        --valid-until MOMENT   versions 3 and 4 (default: half an hour from now)

        --expiry MMYY          the card's, with a card number
        --account-fd N         the card number

      Instead of the card number, a value that only the daemon can turn into it; a
      value for Mastercard then needs a grant that releases dpan:

        --account-envelope HEX as kist primitive seal prints it
        --associated-data HEX  as given when sealing
        --account-surrogate TEXT
                               as kist pan tokenise prints it
        --surrogate-key LABEL|ID
                               the key that made it
        --merchant-id ID       for whom, such as merchant.com.acme

        --json                 answer in JSON
        --socket PATH          the daemon's socket (default: KIST_ENDPOINT, or
                               /run/kist/kist.sock)
        --timeout S            give up after so many seconds (default: 10)

      Example:
        kist otp sign --key issuer/acme/codes --subject customer-7

      """,
    options: HiddenAccount.options + [
      .key, "subject", "counter", "visa", "nonce", .codeDescriptor,
      "mastercard", "token-reference",
      "valid-until", "expiry", .accountDescriptor, .json,
    ], daemon: .services,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let key = try arguments.required("key")
    let hiddenAccount = try HiddenAccount(arguments)
    guard hiddenAccount == nil || arguments.has("visa") || arguments.has("mastercard") else {
      throw .usage("a card number goes with --visa or --mastercard")
    }
    let daemon = try Daemon(arguments)
    let hidden = try hiddenAccount?.account(daemon)
    if arguments.value("visa") != nil { return try signVisa(arguments, hidden, daemon, key) }
    if arguments.value("mastercard") != nil {
      return try signMastercard(arguments, hidden, daemon, key)
    }
    let counter = try arguments.number("counter", in: 0...UInt64.max)
    let id = try daemon.key(key)
    let otp = try daemon.ask(
      daemon.client.signOTP(subject: arguments.value("subject") ?? "", counter: counter, key: id))
    try otp.write(inJSON: arguments.has("json"))
  }

  private static func signVisa(
    _ arguments: Arguments, _ hidden: PassRequest.Account?, _ daemon: Daemon, _ key: String
  ) throws(CommandFailure) {
    let type = arguments.value("visa") ?? ""
    guard let kind = VisaOTP.Kind(rawValue: type) else {
      throw .usage("unknown type '\(type)'; there are MBPAC, MBPAD, MPAC and MPAD")
    }
    let nonce = try arguments.hex("nonce", in: 1...64) ?? []
    let isAccount = kind == .mbpad || kind == .mpad
    let visa = VisaOTP(kind, nonce: nonce, expiry: arguments.value("expiry") ?? "")
    guard isAccount || hidden == nil else {
      throw .usage("a value of type \(type) has no card number")
    }
    let id = try daemon.key(key)
    if let hidden {
      let otp = try daemon.ask(daemon.client.signOTP(visa, of: hidden, key: id))
      return try otp.write(inJSON: arguments.has("json"))
    }
    let secret =
      isAccount
      ? try arguments.secret(.accountDescriptor, "Card number", limit: 19)
      : try arguments.secret(.codeDescriptor, "Authentication code", limit: 32)
    let otp = try daemon.ask(daemon.client.signOTP(visa, secret: secret.bytes, key: id))
    try otp.write(inJSON: arguments.has("json"))
  }

  private static func signMastercard(
    _ arguments: Arguments, _ hidden: PassRequest.Account?, _ daemon: Daemon, _ key: String
  ) throws(CommandFailure) {
    let version = try arguments.number("mastercard", in: 2...4) ?? 3
    let mastercard = MastercardOTP(
      version: version, expiry: try arguments.required("expiry"),
      tokenReference: arguments.value("token-reference") ?? "",
      validUntil: try arguments.moment("valid-until"))
    let id = try daemon.key(key)
    if let hidden {
      let otp = try daemon.ask(daemon.client.signOTP(mastercard, of: hidden, key: id))
      return try otp.write(inJSON: arguments.has("json"))
    }
    let secret = try arguments.secret(.accountDescriptor, "Card number", limit: 19)
    let otp = try daemon.ask(daemon.client.signOTP(mastercard, secret: secret.bytes, key: id))
    try otp.write(inJSON: arguments.has("json"))
  }
}

extension OneTimeValue {
  /// Writes the value from the reply to standard output, through secret memory.
  fileprivate borrowing func write(inJSON: Bool) throws(CommandFailure) {
    var text = try SecretText(capacity: 4096 * SecretText.expansion)
    if inJSON {
      text.add(
        "{" + (auditSequence.map { "\"audit_sequence\":\($0)," } ?? "")
          + (counter.map { "\"counter\":\($0)," } ?? "") + "\"otp\":")
      withValue { text.addJSON($0) }
      text.add("}\n")
    } else {
      withValue { text.addPrintable($0) }
      text.add("\n")
    }
    text.write()
  }
}
