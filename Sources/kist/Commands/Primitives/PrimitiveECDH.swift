internal import Format
internal import KistClient

extension Command {
  static let primitiveECDH = Command(
    name: "primitive ecdh",
    summary: "agree on a shared secret and print it",
    usage: """
      Usage: kist primitive ecdh HEX --key KEY

      HEX is the peer's key: an uncompressed point or a SubjectPublicKeyInfo. Prints
      Z in hexadecimal, if policy releases shared-secret; mind where it goes.

      \(Primitive.common)

      """,
    options: [.value("key")], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    guard let peer = Hex.decode(arguments.operands[0]) else { throw .usage("'\(arguments.operands[0])' is not hexadecimal") }
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let z = try daemon.ask(rejectedMeans: "the peer's key is not on the key's curve") { (client) throws(ClientError) in
      try client.sharedSecret(key, with: peer)
    }
    try z.writeHex()
  }
}
