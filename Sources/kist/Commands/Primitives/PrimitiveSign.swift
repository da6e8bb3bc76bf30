import Format
import KistClient

extension Command {
  static let primitiveSign = Command(
    name: "primitive sign",
    summary: "sign a message with a key of the daemon",
    usage: """
      Usage: kist primitive sign FILE|- --key KEY --scheme SCHEME [--digest]

      Signs FILE's contents, at most 65536 bytes, and prints the signature in
      hexadecimal.

        --scheme NAME  ecdsa-p256-sha256, ecdsa-p384-sha384, either with -fixed;
                       rsa-pkcs1-sha256, rsa-pss-sha256, or with sha384, sha512;
                       ed25519
        --digest       FILE is the message's digest
      \(Primitive.common)

      """,
    options: ["scheme", .flag("digest"), "key"], daemon: .services,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let scheme = try arguments.scheme()
    let message = try Input(path: arguments.operands[0]).contents(limit: Primitive.messageLimit)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    let signature = try daemon.ask(
      daemon.client.sign(message, digested: arguments.has("digest"), with: key, scheme))
    Output.write(Hex.encode(signature) + "\n")
  }
}

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
    options: ["scheme", "signature", .flag("digest"), "key"],
    daemon: .services,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let scheme = try arguments.scheme()
    let signature = try arguments.requiredHex("signature")
    let message = try Input(path: arguments.operands[0]).contents(limit: Primitive.messageLimit)
    let daemon = try Daemon(arguments)
    let key = try daemon.key(arguments)
    try daemon.ask(
      daemon.client.verify(
        signature, over: message, digested: arguments.has("digest"), with: key, scheme),
      rejectedMeans: "the signature is wrong, or the scheme does not fit the key")
    Output.write("good\n")
  }
}
