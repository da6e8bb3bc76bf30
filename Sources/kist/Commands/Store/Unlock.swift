import Crypto
import Format
import Host
import KistClient

extension Command {
  static let unlock = Command(
    name: "unlock",
    summary: "open the key store with its passphrase, or with shares",
    usage: """
      Usage: kist unlock [--passphrase-fd N] [--json] [--socket PATH] [--timeout S]
             kist unlock --share [--share-fd N] [--json] [--socket PATH] [--timeout S]

      Asks for the passphrase at the terminal, without echo.

      With --share it asks for the words of one custodian's share instead, and hands
      in the share. Each custodian does so as their own user, in time; the last share
      that is needed opens the key store.

        --passphrase-fd N  read the passphrase from this open descriptor instead:
                           one line
        --share            hand in one share of the key
        --share-fd N       read its words from this open descriptor instead
        --json             answer in JSON
        --socket PATH      the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                           /run/kist/admin.sock)
        --timeout S        give up after so many seconds (default: 120)

      """,
    options: [.passphraseDescriptor, .flag("share"), .shareDescriptor, .json],
    daemon: .patientOperators,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let isShare = arguments.has("share")
    guard isShare || arguments.value(Option.shareDescriptor.name) == nil else {
      throw .usage("--share-fd goes with --share")
    }
    guard !isShare || arguments.value(Option.passphraseDescriptor.name) == nil else {
      throw .usage("--share and --passphrase-fd do not go together")
    }
    // Before anybody types anything: the daemon must be reachable and locked.
    let daemon = try Daemon(arguments)
    guard try !daemon.isServing else { return Output.done("unlocked already", nil, arguments) }
    guard !isShare else { return try submitShare(arguments, daemon) }
    let passphrase = try SecretInput.notEmpty(
      try SecretInput.passphrase(arguments, "Passphrase of the key store"))
    let sequence = try daemon.ask(
      daemon.client.unlock(passphrase: passphrase.bytes),
      rejectedMeans: "the passphrase is wrong, or the key store has none")
    Output.done("unlocked", sequence, arguments)
  }
}

extension Command {
  /// Checks the words here first, so that a typing error does not count as a failure with the
  /// daemon.
  private static func submitShare(_ arguments: Arguments, _ daemon: Daemon) throws(CommandFailure) {
    if let progress = try daemon.shareProgress, progress.needed == 0, !progress.unlocked {
      throw .failed(
        "the daemon takes no shares: the key store's key is not split, or kist status says why")
    }
    let share = try ShareInput.read(arguments)
    let bytes = try ShareInput.sharing(share.bytes())
    let fingerprint = share.fingerprint
    let meaning =
      "the share is not yours, not of this key, or was handed in already; 'kist share verify' shows its fingerprint, \(fingerprint)"
    let (progress, sequence) = try daemon.ask(
      daemon.client.submitShare(bytes.bytes), rejectedMeans: meaning)
    if progress.unlocked { return Output.done("unlocked", sequence, arguments) }
    arguments.answer(progress.json, "share \(fingerprint) taken: \(progress.text)\n")
  }
}

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
    let daemon = try Daemon(arguments)
    let sequence = try daemon.ask(daemon.client.lock())
    Output.done("locked", sequence, arguments)
  }
}
