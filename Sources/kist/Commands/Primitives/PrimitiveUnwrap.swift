internal import KistClient

extension Command {
  static let primitiveUnwrap = Command(
    name: "primitive unwrap",
    summary: "test whether a wrapped secret opens",
    usage: """
      Usage: kist primitive unwrap FILE|- --key KEY

      FILE is a secret wrapped for the key with RSAES-OAEP, SHA-256. The daemon opens
      it and wipes it again; nothing of it is printed.

      \(Primitive.common)

      """,
    options: [.value("key")], daemon: .services,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let wrapped = try Input(path: arguments.operands[0]).contents(limit: 512)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    try daemon.ask(rejectedMeans: "it was wrapped for another key, or is not 16 to 64 bytes") { (client) throws(ClientError) in
      try client.release(try client.unwrap(key, wrapped))
    }
    Output.write("opens\n")
  }
}
