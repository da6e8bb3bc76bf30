internal import Encoding
internal import KistClient

extension Command {
  static let panDetokenise = Command(
    name: "pan detokenise",
    summary: "print the PAN behind a surrogate or in an envelope",
    usage: """
      Usage: kist pan detokenise SURROGATE --key KEY --merchant-id ID
             kist pan detokenise ENVELOPE --key KEY --merchant-id ID --transaction HEX

      Prints cardholder data to standard output: mind where it goes. An envelope is
      given in hexadecimal, and opens until it expires.

        --merchant-id ID   whose it is, such as merchant.com.acme
        --transaction HEX  what the envelope is for: 64 hexadecimal digits
      \(Primitive.common)

      """,
    options: [.value("key"), .value("merchant-id"), .value("transaction")], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let merchant = try arguments.required("merchant-id")
    let given = arguments.operands[0]
    let transaction = try arguments.transactionID()
    let envelope = transaction == nil ? nil : Hex.decode(given)
    guard transaction == nil || envelope != nil else { throw .usage("an envelope is given in hexadecimal digits") }
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let pan = try daemon.ask { (client) throws(ClientError) in
      guard let transaction, let envelope else { return try client.pan(ofSurrogate: given, merchant: merchant, withKey: key) }
      return try client.pan(ofEnvelope: envelope, merchant: merchant, transactionID: transaction, withKey: key)
    }
    var text = try SecretText(capacity: 256)
    pan.withDigits { text.addPrintable($0) }
    text.add("\n")
    text.write()
  }
}
