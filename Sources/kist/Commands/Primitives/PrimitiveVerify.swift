internal import KistClient

extension Command {
  static let primitiveVerify = Command(
    name: "primitive verify",
    summary: "verify a signature with a key of the daemon",
    usage: """
      Usage: kist primitive verify FILE|- --key KEY --scheme SCHEME --signature HEX
                                   [--digest]

      Says whether the signature of FILE's contents is the key's.

        --scheme NAME    as for kist primitive sign
        --signature HEX  the signature
        --digest         FILE is the message's digest
      \(Primitive.common)

      """,
    options: [.value("scheme"), .value("signature"), .flag("digest"), .value("key")], daemon: .services,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let (scheme, signature) = (try arguments.scheme(), try arguments.requiredHex("signature"))
    let message = try Input(path: arguments.operands[0]).contents(limit: Primitive.messageLimit)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    try daemon.ask(rejectedMeans: "the signature is wrong, or the scheme does not fit the key") { (client) throws(ClientError) in
      try client.verify(signature, over: message, digested: arguments.has("digest"), with: key, scheme)
    }
    Output.write("good\n")
  }
}
