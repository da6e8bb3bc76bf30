internal import KistClient

extension Command {
  static let lock = Command(
    name: "lock",
    summary: "close the key store and wipe its keys from memory",
    usage: """
      Usage: kist lock [--json] [--socket PATH] [--timeout S]

        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.json], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let sequence = try Daemon(arguments).ask { (client) throws(ClientError) in try client.lock() }
    Output.done("locked", sequence, arguments)
  }
}
