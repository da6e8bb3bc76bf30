internal import Encoding
internal import KistClient

extension Command {
  static let keyList = Command(
    name: "key list",
    summary: "list the keys that you may see",
    usage: """
      Usage: kist key list [--prefix PREFIX] [--json] [--socket PATH] [--timeout S]

      CHECK is the check value of a symmetric key, or the beginning of SHA-256 of
      a public key. What expires within 30 days is marked with !.

        --prefix PREFIX  only labels that begin so, such as merchant/acme/
        --json           answer in JSON, with full check values
        --socket PATH    the daemon's socket (default: KIST_ADMIN_ENDPOINT, or
                         /run/kist/admin.sock); kist.sock will do as well
        --timeout S      give up after so many seconds (default: 10)

      """,
    options: [.value("prefix"), .json], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let prefix = arguments.value("prefix") ?? ""
    let keys = try Daemon(arguments).ask { (client) throws(ClientError) in try client.listKeys(prefix: prefix) }
    if arguments.has("json") {
      Output.write(.object([.init("keys", .array(keys.map { $0.json(now: .now) }))]))
    } else {
      Output.write(Key.list(keys, now: .now))
    }
  }
}
