import Format
import KistClient

extension Command {
  static let keyShow = Command(
    name: "key show",
    summary: "show everything about a key that is not secret",
    usage: """
      Usage: kist key show LABEL|ID [--json] [--socket PATH] [--timeout S]

      An id has 32 hexadecimal digits. The key itself never leaves the daemon.

        --json         answer in JSON, with the certificate
        --socket PATH  the daemon's socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock); kist.sock works, too
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.json], daemon: .operators,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let key = try Daemon(arguments).key(named: arguments.operands[0])
    arguments.answer(key.json(now: .now), key.text(now: .now))
  }
}

extension Daemon {
  /// The key with a label or an id.
  func key(named name: String) throws(CommandFailure) -> Key {
    let id = try key(name)
    return try ask(client.describeKey(id))
  }

  /// The id of the key with a label or an id.
  func key(_ name: String) throws(CommandFailure) -> [UInt8] {
    if name.utf8.count == 32, let id = Hex.decode(name) { return id }
    guard let key = try ask(client.listKeys(prefix: name)).first(where: { $0.label == name }) else {
      throw .failed("no key '\(name)' that you may see; kist key list lists them")
    }
    return key.id
  }
}
