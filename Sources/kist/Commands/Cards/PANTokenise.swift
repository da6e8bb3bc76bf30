import Format
import Host
import KistClient

extension Command {
  static let panTokenise = Command(
    name: "pan tokenise",
    summary: "make a PAN's surrogate, or seal the PAN for another service",
    usage: """
      Usage: kist pan tokenise FILE|- --key KEY --merchant-id ID
             [--transaction HEX [--lifetime SECONDS]]

      FILE has the PAN in one line; - is standard input. A key of role surrogate
      makes a surrogate: as many digits as the PAN, the same last four, never a valid
      PAN; or as the merchant's surrogate_format in kist.toml says. A key of role
      sealing makes an envelope, printed in hexadecimal, which needs --transaction;
      kist envelope open opens it.

        --merchant-id ID       the merchant, such as merchant.com.acme
        --transaction HEX      the envelope's transaction: 64 hexadecimal digits
        --lifetime SECONDS     how long it can be opened (default: 900)
      \(Primitive.common)

      Example:
        kist pan tokenise pan.txt --key acme/surrogate \\
          --merchant-id merchant.com.acme

      """,
    options: ["key", "merchant-id", "transaction", "lifetime"],
    daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let merchant = try arguments.required("merchant-id")
    let terms = try arguments.envelopeTerms()
    let pan = try Input(path: arguments.operands[0]).secretLine(limit: 32)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let made =
      if let terms {
        try Hex.encode(
          daemon.ask(
            daemon.client.envelope(
              ofPAN: pan.bytes, merchant: merchant, terms: terms, withKey: key)))
      } else {
        try daemon.ask(
          daemon.client.surrogate(ofPAN: pan.bytes, merchant: merchant, withKey: key))
      }
    Output.write(made + "\n")
  }
}

extension Arguments {
  /// `--transaction`, 32 bytes in hexadecimal.
  func transactionID() throws(CommandFailure) -> [UInt8]? {
    guard let bytes = try hex("transaction") else { return nil }
    guard bytes.count == 32 else { throw .usage("--transaction takes 64 hexadecimal digits") }
    return bytes
  }

  fileprivate func envelopeTerms() throws(CommandFailure) -> EnvelopeTerms? {
    let lifetime = try number("lifetime", in: 1...31_622_400 as ClosedRange<UInt32>)
    guard let transaction = try transactionID() else {
      guard lifetime == nil else {
        throw .usage("--lifetime is an envelope's, and needs --transaction")
      }
      return nil
    }
    return EnvelopeTerms(transactionID: transaction, lifetime: lifetime ?? 900)
  }
}

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
    options: ["key", "merchant-id"], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let merchant = try arguments.required("merchant-id")
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let pan = try daemon.ask(
      daemon.client.pan(ofSurrogate: arguments.operands[0], merchant: merchant, withKey: key))
    var text = try SecretText(capacity: 256)
    pan.withDigits { text.addPrintable($0) }
    text.add("\n")
    text.write()
  }
}
