import Format
import KistClient

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
    options: ["key"], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    guard let peer = Hex.decode(arguments.operands[0]) else {
      throw .usage("'\(arguments.operands[0])' is not hexadecimal")
    }
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let z = try daemon.ask(
      daemon.client.sharedSecret(key, with: peer),
      rejectedMeans: "the peer's key is not on the key's curve")
    try z.writeHex()
  }
}

extension Command {
  static let primitiveKDF = Command(
    name: "primitive kdf",
    summary: "agree on a shared secret, derive a key and print it",
    usage: """
      Usage: kist primitive kdf HEX --key KEY --derivation NAME [OPTIONS]

      HEX is the peer's key: an uncompressed point or a SubjectPublicKeyInfo. The
      shared secret stays in the daemon. Prints the derived key in hexadecimal, if
      policy releases derived-key; mind where it goes.

        --derivation NAME  one-step-sha256, x963-sha256, hkdf-sha256, or with sha384,
                           sha512
        --count N          bytes, 16 to 256 (default: 32)
        --info HEX         OtherInfo, SharedInfo or info
        --salt HEX         for HKDF
      \(Primitive.common)

      """,
    options: [
      "derivation", "count", "info", "salt", "key",
    ], daemon: .services,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    guard let peer = Hex.decode(arguments.operands[0]) else {
      throw .usage("'\(arguments.operands[0])' is not hexadecimal")
    }
    let name = try arguments.required("derivation")
    guard let derivation = Derivation(name: name) else {
      throw .usage(
        "unknown derivation '\(name)'; there are \(Derivation.names.joined(separator: ", "))")
    }
    let count = try arguments.number("count", in: 16...256) ?? 32
    let info = try arguments.hex("info") ?? []
    let salt = try arguments.hex("salt") ?? []
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let client = daemon.client
    let derived = try daemon.ask(
      client.derivedKey(
        derivation, from: client.agree(key, with: peer), count: count, info: .whole(info),
        salt: salt))
    try derived.writeHex()
  }
}

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
    options: ["key"], daemon: .services,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let wrapped = try Input(path: arguments.operands[0]).contents(limit: 512)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    try daemon.ask(
      daemon.client.release(daemon.client.unwrap(key, wrapped)),
      rejectedMeans: "it was wrapped for another key, or is not 16 to 64 bytes")
    Output.write("opens\n")
  }
}
