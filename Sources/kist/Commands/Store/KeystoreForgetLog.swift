import Audit
import Ceremony
import Crypto
import Format
import Host
import KeyStore

extension Command {
  static let keystoreForgetLog = Command(
    name: "keystore forget-log",
    summary: "let a store whose audit log is lost begin another",
    usage: """
      Usage: kist keystore forget-log DIR [--log DIR] [--json]

      For a key store in DIR, the daemon's state directory, that is intact while its
      audit log is lost for good. Marks the store as a copy of itself, and prints what
      goes into kist.toml: with that, the daemon begins a new log, once, and says on
      its record how much of the old one is forgotten. No key is lost. Needs no key,
      and changes nothing while a daemon has the store open or there is a log. Run it
      as the user that DIR belongs to, and only after you have looked for the log.

        --log DIR  where the log was (default: /var/log/kist/audit)
        --json     answer in JSON

      """,
    options: ["log", .json],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let path = arguments.operands[0] + "/keys"
    let log = arguments.value("log") ?? UsualPlaces.auditLog
    try requireLost(log)
    let store = try StoreCopy.told(path, StoreCopy(path))
    func wasMarked() throws(KeyStoreError) -> Bool {
      do throws(KeyStoreError) { try store.forgetLog(at: .now) } catch {
        guard error == .restoredUnopened else { throw error }
        return true
      }
      return false
    }
    // The next step needs the digest, which may be gone with what the first run said.
    guard try !StoreCopy.told(path, wasMarked()) else {
      throw .failed(
        "\(path): it is marked as a copy already, with the digest \(store.facts.digest.hex)")
    }
    let digest = store.facts.digest.hex
    let size = store.claimedAnchor.size
    guard !arguments.has("json") else {
      return Output.write(
        ["digest": digest, "forgotten": size, "path": path])
    }
    Output.write(
      Table(
        ["key store", "\(path) (\(store.claimedKind.rawValue))"],
        ["keys", "\(store.facts.keys), all of them stay"],
        ["forgotten", "at least \(size) records of the log"],
        ["digest", digest],
        ["kist.toml", "under [audit]: lost_with = \"\(digest)\", and another origin"],
        [
          "then",
          "start kistd, kist unlock, and at once kist backup: no older backup fits the new log",
        ]
      ).text)
  }

  private static func requireLost(_ log: String) throws(CommandFailure) {
    let isAbsent: Bool
    do throws(AuditError) { isAbsent = try LogReader(LogDirectory(log)).isAbsent } catch {
      // It may have been lost with its directory.
      if case .disk(let error) = error, error.isAbsence { return }
      throw .audit(error, log)
    }
    guard isAbsent else { throw .failed("\(log): there is a log; nothing was changed") }
  }
}
