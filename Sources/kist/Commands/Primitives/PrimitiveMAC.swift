internal import KistClient

extension Command {
  static let primitiveMAC = Command(
    name: "primitive mac",
    summary: "authenticate a message with a key of the daemon",
    usage: """
      Usage: kist primitive mac FILE|- --key KEY [--length N]

      Prints the message authentication code of FILE's contents, at most 65536 bytes,
      in hexadecimal.

        --length N     only its first N bytes, at least 8 (default: all)
      \(Primitive.common)

      """,
    options: [.value("length"), .value("key")], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let length = try arguments.codeLength()
    let message = try Input(path: arguments.operands[0]).contents(limit: Primitive.messageLimit)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let code = try daemon.ask { (client) throws(ClientError) in try client.mac(message, under: .stored(key), length: length) }
    try code.writeHex()
  }
}
