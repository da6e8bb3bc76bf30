import Format
import KistClient

extension Command {
  static let envelopeOpen = Command(
    name: "envelope open",
    summary: "open a payment envelope and print the released fields",
    usage: """
      Usage: kist envelope open ENVELOPE --key KEY --merchant-id ID
             --transaction HEX [OPTIONS]

      Takes an envelope in hexadecimal, as kist token open and kist pan tokenise print
      it, and prints the fields that policy releases to standard output. They are
      cardholder data: mind where they go. An envelope opens until it expires, or only
      once if the merchant's settings say so.

        --merchant-id ID   the merchant, such as merchant.com.acme
        --transaction HEX  the transaction: 64 hexadecimal digits
        --field FIELD      only this field; may be repeated (default: all that policy
                           releases)
        --require FIELD    refuse the envelope, and leave it unopened, unless it gives
                           this field; may be repeated
        --retry-key HEX    16 random bytes of your own: with them the same command
                           opens it again after a lost answer, within the
                           merchant's retry_window
        --json             answer in JSON
      \(Primitive.common)

      """,
    options: [
      "key", "merchant-id", "transaction", .values("field"),
      .values("require"), "retry-key", .json,
    ],
    daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    guard let envelope = Hex.decode(arguments.operands[0]) else {
      throw .usage("an envelope is given in hexadecimal digits")
    }
    let merchant = try arguments.required("merchant-id")
    guard let transaction = try arguments.transactionID() else {
      throw .usage("--transaction is missing")
    }
    let fields = try arguments.fields("field")
    let required = try arguments.fields("require")
    let retryKey = try arguments.retryKey()
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let opened = try daemon.ask(
      daemon.client.openEnvelope(
        envelope, merchant: merchant, transactionID: transaction, fields: fields,
        required: required, withKey: key, retryKey: retryKey,
        sendsAgain: false), meaning: meaning)
    if arguments.has("json") { try opened.writeJSON() } else { try opened.writeTable() }
    let missing = opened.lacking(fields)
    if !missing.isEmpty {
      Output.complain("kist envelope open: not released, or not in the envelope: \(missing)\n")
    }
  }

  private static func meaning(of refusal: ClientError.Refusal) -> String? {
    guard refusal.stage == Stage.notReleased.name, let field = refusal.field else { return nil }
    return
      "the grant does not release \(field), or the envelope has none: it was not opened, and can be opened without --require \(field)"
  }
}
