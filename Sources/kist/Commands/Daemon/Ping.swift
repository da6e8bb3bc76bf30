internal import Encoding
internal import KistClient

extension Command {
  static let ping = Command(
    name: "ping",
    summary: "ask whether the daemon answers",
    usage: """
      Usage: kist ping [--json] [--socket PATH] [--timeout S]

      Needs no grant and leaves no audit record.

        --json         answer in JSON
        --socket PATH  the daemon's socket (default: KIST_ENDPOINT, or
                       /run/kist/kist.sock)
        --timeout S    give up after so many seconds (default: 10)

      Exit codes: 0 it answers, 1 it does not.

      """,
    options: [.json], daemon: .services
  ) { arguments throws(CommandFailure) in
    try Daemon(arguments).ask { (client) throws(ClientError) in try client.ping() }
    if arguments.has("json") { Output.write(.object([.init("ok", .bool(true))])) } else { Output.write("the daemon answers\n") }
  }
}
