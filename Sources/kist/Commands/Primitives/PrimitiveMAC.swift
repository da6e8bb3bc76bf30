import KistClient

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
    options: ["length", "key"], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let length = try arguments.codeLength()
    let message = try Input(path: arguments.operands[0]).contents(limit: Primitive.messageLimit)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let code = try daemon.ask(daemon.client.mac(message, under: .stored(key), length: length))
    try code.writeHex()
  }
}

extension Command {
  static let primitiveVerifyMAC = Command(
    name: "primitive verify-mac",
    summary: "verify a message authentication code",
    usage: """
      Usage: kist primitive verify-mac FILE|- --key KEY --mac HEX [--length N]

      Says whether the code of FILE's contents is right and has the stated length.

        --mac HEX      the code
        --length N     bytes that it must have, at least 8 (default: all)
      \(Primitive.common)

      """,
    options: ["mac", "length", "key"], daemon: .services,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let mac = try arguments.requiredHex("mac")
    let length = try arguments.codeLength()
    let message = try Input(path: arguments.operands[0]).contents(limit: Primitive.messageLimit)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    try daemon.ask(
      daemon.client.verifyMAC(mac, over: message, under: .stored(key), length: length),
      rejectedMeans: "the code is not right, or not as long as stated")
    Output.write("good\n")
  }
}
