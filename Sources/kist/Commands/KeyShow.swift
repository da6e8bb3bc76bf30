internal import Encoding
internal import KistClient

extension Command {
  static let keyShow = Command(
    name: "key show",
    summary: "show all that may be known of a key",
    usage: """
      Usage: kist key show LABEL|ID [--json] [--socket PATH]

      An id has 32 hexadecimal digits. The key itself never leaves the daemon.

        --json         answer in JSON, with the certificate
        --socket PATH  the daemon's socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock); kist.sock will do as well

      """,
    options: [.json, .socket],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let name = arguments.operands[0]
    let daemon = try Daemon.operators(arguments)
    let key = try daemon.ask { (client) throws(ClientError) in try client.key(named: name) }
    guard let key else { throw .failed("no key '\(name)' that you may see; kist key list lists them") }
    if arguments.has("json") { Output.write(key.json(now: .now)) } else { Output.write(key.text(now: .now)) }
  }
}

extension Client {
  func key(named name: String) throws(ClientError) -> Key? {
    if name.utf8.count == 32, let id = Hex.decode(name) { return try describeKey(id) }
    guard let id = try listKeys(prefix: name).first(where: { $0.label == name })?.id else { return nil }
    return try describeKey(id)
  }
}
