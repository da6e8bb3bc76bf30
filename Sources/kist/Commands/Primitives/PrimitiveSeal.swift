import Format
import Host
import KistClient

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
    options: ["associated-data", "key"], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let associatedData = try arguments.hex("associated-data") ?? []
    let plaintext = try Input(path: arguments.operands[0]).secretContents(
      limit: Primitive.messageLimit)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let envelope = try daemon.ask(
      daemon.client.seal(plaintext.bytes, under: .stored(key), associatedData: associatedData))
    Output.write(Hex.encode(envelope) + "\n")
  }
}

extension Command {
  static let primitiveUnseal = Command(
    name: "primitive unseal",
    summary: "open an envelope with the key that sealed it",
    usage: """
      Usage: kist primitive unseal HEX [--key KEY --iv HEX] [--associated-data HEX]

      Prints the sealed contents as they are; mind where they go. An envelope names
      its key; for data that others sealed, give key and IV.

        --iv HEX               HEX is ciphertext and tag of AES-256-GCM with this IV
                               of 12 or 16 bytes
        --associated-data HEX  as given when sealing
      \(Primitive.common)

      """,
    options: ["iv", "associated-data", "key"], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let iv = try arguments.hex("iv") ?? []
    let associatedData = try arguments.hex("associated-data") ?? []
    guard let sealed = Hex.decode(arguments.operands[0]) else {
      throw .usage("'\(arguments.operands[0])' is not hexadecimal")
    }
    let daemon = try Daemon(arguments)
    let key = iv.isEmpty && !arguments.has("key") ? nil : try daemon.key(arguments)
    let plaintext =
      if let key {
        try daemon.ask(
          daemon.client.unseal(sealed, under: .stored(key), iv: iv, associatedData: associatedData))
      } else {
        try daemon.ask(daemon.client.unseal(sealed, associatedData: associatedData))
      }
    plaintext.write()
  }
}
