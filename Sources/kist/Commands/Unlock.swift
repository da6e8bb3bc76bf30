internal import KistClient
internal import SecretMemory

extension Command {
  static let unlock = Command(
    name: "unlock",
    summary: "open the key store with its passphrase",
    usage: """
      Usage: kist unlock [--passphrase-fd N] [--json] [--socket PATH]

      Asks for the passphrase at the terminal, without echo.

        --passphrase-fd N  read the passphrase from this open descriptor instead:
                           one line
        --json             answer in JSON
        --socket PATH      the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                           /run/kist/admin.sock)

      """,
    options: [.passphraseDescriptor, .json, .socket]
  ) { arguments throws(CommandFailure) in
    try Hardening.prepareForSecrets()
    // Nobody need type anything for a daemon that cannot be reached or is open.
    let daemon = try Daemon.operators(arguments)
    guard !daemon.isServing else { return Output.done("unlocked already", nil, arguments) }
    let passphrase = try SecretInput.notEmpty(try SecretInput.passphrase(arguments, "Passphrase of the key store"))
    let sequence = try daemon.ask(rejectedMeans: "the passphrase is wrong, or the key store has none") { (client) throws(ClientError) in
      try client.unlock(passphrase: passphrase.bytes)
    }
    Output.done("unlocked", sequence, arguments)
  }
}
