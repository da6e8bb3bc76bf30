internal import Crypto
internal import Format
internal import KistClient

extension Command {
  static let keyAttach = Command(
    name: "key attach",
    summary: "attach a certificate to its key",
    usage: """
      Usage: kist key attach LABEL|ID FILE [--wait] [--json] [--socket PATH]
                  [--timeout S]

      FILE is the certificate that Apple made for the key, PEM or DER. It must be for
      this key and name its merchant. The key ends with it, unless it has an end.
      It replaces a certificate that the key already has.

        --wait         if a second operator must approve, wait for that
        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.wait, .json], daemon: .operators,
    operands: 2...2,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let path = arguments.operands[1]
    // The file named by mistake may be a private key.
    let certificates = try KeyFile.certificates(path)
    guard let certificate = certificates.first, certificates.count == 1 else { throw .failed("\(path): expected one certificate in it") }
    let der = certificate.der
    let daemon = try Daemon(arguments)
    let id = try daemon.key(arguments.operands[0])
    let (key, sequence) = try daemon.ask(
      rejectedMeans: "the certificate is another key's or merchant's or none of Apple's, or the key has this one or needs none any more"
    ) {
      (client) throws(ClientError) in
      try client.changeKey(.attachCertificate, id, bodyCap: 8200) { (writer) throws(WireError) in
        let request = AttachCertificateRequest(certificate: der.span)
        try request.encode(into: &writer)
      }
    }
    Output.tell(key, sequence, arguments)
  }
}
