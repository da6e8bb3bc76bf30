import Format
import KistClient

extension Command {
  static let backup = Command(
    name: "backup",
    summary: "have the daemon make a verified copy of the key store",
    usage: """
      Usage: kist backup [--wait] [--json] [--socket PATH] [--timeout S]

      Has the daemon copy the key store into a new directory in backup.directory of
      kist.toml, named by the time and the store's generation, read the copy back and
      unwrap every key of it. The daemon goes on serving. The copy's keys are under
      the same key-encryption key as in the store: without its shares, passphrase or
      credential the copy opens nothing.

      Note the digest where nobody can change it together with the copy: kist restore
      asks for it. It is also in the audit record.

        --wait         if a second operator must approve, wait for that
        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 120)

      """,
    options: [.wait, .json], daemon: .patientOperators
  ) { arguments throws(CommandFailure) in
    let meaning =
      "backup.directory in kist.toml names no directory, or the copy failed there: kistd's messages say which (event=backup-failed)"
    let daemon = try Daemon(arguments)
    let (copy, sequence) = try daemon.ask(daemon.client.backUp(), rejectedMeans: meaning)
    if arguments.has("json") { return Output.write(copy.json(sequence)) }
    Output.write(
      Table(
        ["backup", copy.name],
        ["keys", "\(copy.keys), each unwrapped and checked"],
        ["generation", "\(copy.generation)"],
        ["digest", Hex.encode(copy.digest)],
        [
          "needs",
          "the log's records from \(copy.needs) on: as long as they are there, it can be restored fully",
        ],
        sequence.map { ["audit record", "\($0)"] }
      ).text)
  }
}

extension BackUpReply {
  fileprivate func json(_ sequence: UInt64?) -> CanonicalJSON {
    [
      "digest": Hex.encode(digest), "generation": generation, "keys": keys,
      "name": name, "needs": needs, "ok": true, "audit_sequence": sequence,
    ]
  }
}
