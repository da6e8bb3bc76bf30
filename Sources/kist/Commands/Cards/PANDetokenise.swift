internal import KistClient

extension Command {
  static let panDetokenise = Command(
    name: "pan detokenise",
    summary: "print the PAN behind a surrogate",
    usage: """
      Usage: kist pan detokenise SURROGATE --key KEY --merchant-id ID

      Prints cardholder data to standard output: mind where it goes.

        --merchant-id ID  the merchant, such as merchant.com.acme
      \(Primitive.common)

      """,
    options: [.value("key"), .value("merchant-id")], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let merchant = try arguments.required("merchant-id")
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let pan = try daemon.ask { (client) throws(ClientError) in try client.pan(ofSurrogate: arguments.operands[0], merchant: merchant, withKey: key) }
    var text = try SecretText(capacity: 256)
    pan.withDigits { text.addPrintable($0) }
    text.add("\n")
    text.write()
  }
}
