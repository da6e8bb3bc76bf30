import Format
import KistClient
import Policy

extension Command {
  static let keyList = Command(
    name: "key list",
    summary: "list the keys that you may see",
    usage: """
      Usage: kist key list [--label PATTERN | --prefix PREFIX] [--wide] [--json]
                           [--socket PATH] [--timeout S]

      A key that expires within 30 days is marked with !. With --wide, CHECK is the
      check value of a symmetric key, or the beginning of the SHA-256 of a public key.

        --label PATTERN  only this label, or the labels under a prefix such as
                         merchant/acme/*, as in policy
        --prefix PREFIX  only labels that begin so, such as merchant/acme/
        --wide           each key's last use, algorithm, check value and id, too
        --json           answer in JSON, with all of these and full check values
        --socket PATH    the daemon's socket (default: KIST_ADMIN_ENDPOINT, or
                         /run/kist/admin.sock); kist.sock works, too
        --timeout S      give up after so many seconds (default: 10)

      """,
    options: ["label", "prefix", .flag("wide"), .json], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let prefix = arguments.value("prefix")
    guard prefix == nil || !arguments.has("label") else {
      throw .usage("--label and --prefix exclude each other")
    }
    let pattern = try arguments.value("label", "a label, or a prefix such as merchant/acme/*") {
      KeyPattern($0) == nil ? nil : $0
    }
    let daemon = try Daemon(arguments)
    let keys = try daemon.ask(daemon.client.listKeys(prefix: prefix ?? "", pattern: pattern ?? ""))
    arguments.answer(
      ["keys": keys.map { $0.json(now: .now) }],
      Key.list(keys, now: .now, wide: arguments.has("wide")))
  }
}
