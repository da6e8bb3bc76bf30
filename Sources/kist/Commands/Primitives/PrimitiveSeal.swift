internal import Format
internal import Host
internal import KistClient

extension Command {
  static let primitiveSeal = Command(
    name: "primitive seal",
    summary: "seal a file's contents under a key of the daemon",
    usage: """
      Usage: kist primitive seal FILE|- --key KEY [--associated-data HEX]

      Prints an envelope, in hexadecimal, that only this key opens. FILE has at most
      65536 bytes.

        --associated-data HEX  give the same again when opening
      \(Primitive.common)

      """,
    options: [.value("associated-data"), .value("key")], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let associatedData = try arguments.hex("associated-data") ?? []
    let plaintext = try Input(path: arguments.operands[0]).secretContents(limit: Primitive.messageLimit)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let envelope = try daemon.ask { (client) throws(ClientError) in
      try client.seal(plaintext.bytes, under: .stored(key), associatedData: associatedData)
    }
    Output.write(Hex.encode(envelope) + "\n")
  }
}
