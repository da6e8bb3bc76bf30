internal import KistClient

extension Command {
  static let lock = Command(
    name: "lock",
    summary: "close the key store and wipe its keys from memory",
    usage: """
      Usage: kist lock [--json] [--socket PATH]

        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)

      """,
    options: [.json, .socket]
  ) { arguments throws(CommandFailure) in
    let sequence = try Daemon.operators(arguments).ask { (client) throws(ClientError) in try client.lock() }
    Output.done("locked", sequence, arguments)
  }
}
