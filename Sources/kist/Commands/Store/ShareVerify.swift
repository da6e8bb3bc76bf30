import Crypto
import Format
import KistClient

extension Command {
  static let shareVerify = Command(
    name: "share verify",
    summary: "check a custodian's sheet: its checksum and fingerprint",
    usage: """
      Usage: kist share verify [--share-fd N] [--json]

      Asks for the words at the terminal, without echo, and needs no daemon. Four
      letters of a word are enough. Prints whether the checksum is right, and the
      fingerprint to compare with the one on the sheet; nothing else.

        --share-fd N  read the words from this open descriptor instead
        --json        answer in JSON

      """,
    options: [.shareDescriptor, .json],
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let share = try ShareInput.read(arguments)
    let fingerprint = share.fingerprint
    arguments.answer(
      ["fingerprint": fingerprint.description, "ok": true],
      "the words are in order; fingerprint \(fingerprint)\n")
  }
}
