internal import CryptoBackend
internal import Encoding
internal import KistClient
internal import SecretMemory

extension Command {
  static let keyImport = Command(
    name: "key import",
    summary: "take a merchant's key from its file into the daemon",
    usage: """
      Usage: kist key import FILE --label LABEL --role ROLE [OPTIONS]

      FILE is PEM or DER of PKCS#8 (also under PBES2), SEC1 or PKCS#1, or PKCS#12 as
      Keychain exports it; - is standard input. Key and certificate must match, and
      the merchant identifier in the certificate must be SHA-256 of its subject's
      UID; only then is the daemon asked.

        --label LABEL         such as merchant/acme/processing-2026
        --role ROLE           merchant-processing-ec, merchant-processing-rsa or
                              merchant-identity-rsa
        --certificate FILE    the key's certificate, PEM or DER, where FILE has none
        --merchant-id ID      such as merchant.com.acme; needed where there is no
                              certificate
        --passphrase-fd N     read the file's passphrase from this open descriptor,
                              one line (default: asked for without echo, if needed)
        --pre-active          keep the key unused until it is activated
        --json                answer in JSON
        --socket PATH         the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                              /run/kist/admin.sock)

      Example:
        kist key import acme.p12 --label merchant/acme/processing-2026 \\
          --role merchant-processing-ec

      """,
    options: [
      .value("label"), .value("role"), .value("certificate"), .value("merchant-id"), .passphraseDescriptor, .flag("pre-active"), .json, .socket,
    ],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let wish = try ImportWish(arguments)
    try Hardening.prepareForSecrets()
    let found = try KeyFile.read(arguments.operands[0], arguments)
    let certificate = try wish.certificate(for: found, in: arguments.operands[0])
    let privateKey = try found.serialisedKey()
    let certificateDER = certificate?.der ?? []
    let (key, sequence) = try Daemon.operators(arguments).ask(rejectedMeans: "the label is taken, or the key is in the store or was") {
      (client) throws(ClientError) in
      try client.importKey(wish, privateKey: privateKey.bytes, certificate: certificateDER.span, activate: !arguments.has("pre-active"))
    }
    if arguments.has("json") { return Output.write(key.json(now: .now)) }
    Output.write(key.text(now: .now))
    if let sequence { Output.write("imported (audit record \(sequence))\n") }
  }
}
