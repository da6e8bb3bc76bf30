internal import Crypto
internal import Format
internal import KistClient

extension Command {
  static let passTrace = Command(
    name: "pass trace",
    summary: "show every value of one test encryption, as Apple's log has them",
    usage: """
      Usage: kist pass trace --recipient HEX --ephemeral-key HEX --pass-data HEX
               [--socket PATH] [--timeout S]

      Compare the values with Apple's encryptionlog.txt. Only a sandbox answers, and
      it uses no key of a store.

        --recipient HEX      Apple's static public key, 65 bytes
        --ephemeral-key HEX  the log's ephemeral private key, 32 bytes
        --pass-data HEX      the clear text
        --socket PATH        the daemon's socket (default: KIST_ENDPOINT, or
                             /run/kist/kist.sock)
        --timeout S          give up after so many seconds (default: 10)

      """,
    options: [.value("recipient"), .value("ephemeral-key"), .value("pass-data")], daemon: .services
  ) { arguments throws(CommandFailure) in
    guard let recipient = try arguments.hex("recipient", in: 65...65), let ephemeral = try arguments.hex("ephemeral-key", in: 32...32),
      let passData = try arguments.hex("pass-data", in: 1...4096)
    else { throw .usage("--recipient, --ephemeral-key and --pass-data are all needed") }
    let trace = try Daemon(arguments).ask { (client) throws(ClientError) in
      try client.provisionTrace(recipient: recipient, ephemeralPrivateKey: ephemeral, passData: passData)
    }
    var table = Table()
    table.add(["publicKeyHash", Hex.encode(trace.publicKeyHash)])
    table.add(["ephemeralPublicKey", Hex.encode(trace.ephemeralPublicKey)])
    table.add(["sharedSecret", Hex.encode(trace.sharedSecret)])
    table.add(["otherInfo", Hex.encode(trace.otherInfo)])
    table.add(["sharedKey", Hex.encode(trace.sharedKey)])
    table.add(["encryptedPassData", Hex.encode(trace.encryptedPassData)])
    Output.write(table.text)
  }
}
