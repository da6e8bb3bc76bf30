import Ceremony
import Crypto
import Format
import KeyStore
import KistClient

extension Command {
  static let keyCSR = Command(
    name: "key csr",
    summary: "make the request for a merchant key's certificate from Apple",
    usage: """
      Usage: kist key csr LABEL|ID [OPTIONS]

      Writes a PKCS#10 request in PEM to standard output, signed with the key inside
      the daemon: upload it in Apple's developer account. For payment processing the
      key is on P-256 (in mainland China RSA with 2048 bits), for merchant identity
      RSA with 2048 bits. Apple wants a new key for each certificate.

        --organization NAME  O of the subject, at most 64 bytes
        --country CC         C of the subject, two letters
        --json               answer in JSON
        --socket PATH        the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                             /run/kist/admin.sock)
        --timeout S          give up after so many seconds (default: 10)

      Example:
        kist key csr merchant/acme/processing-2027 > acme.csr
        openssl req -in acme.csr -verify -noout -subject

      """,
    options: ["organization", "country", .json], daemon: .operators,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let organization = arguments.value("organization") ?? ""
    let country = arguments.value("country") ?? ""
    guard organization.utf8.count <= 64 else { throw .usage("--organization has at most 64 bytes") }
    guard country.isEmpty || country.utf8.count == 2 else {
      throw .usage("--country has two letters, such as US")
    }
    let daemon = try Daemon(arguments)
    let key = try daemon.key(named: arguments.operands[0])
    try check(key)
    let der = try daemon.ask(
      daemon.client.certificateRequest(for: key.id, organization: organization, country: country),
      rejectedMeans: "the subject cannot be written: is the country two letters?")
    guard !arguments.has("json") else {
      return Output.write(["label": key.label, "request": Base64.encode(der)])
    }
    Output.write(PEM.text("CERTIFICATE REQUEST", der))
  }

  /// Explains what the daemon would only deny.
  private static func check(_ key: Key) throws(CommandFailure) {
    guard KeyRole(rawValue: key.role)?.certifiedPurpose != nil else {
      throw .failed("\(key.label): Apple certifies no key of role \(key.role)")
    }
    guard KeyAlgorithm(name: key.algorithm)?.isCertifiedByApple == true else {
      throw .failed("\(key.label): Apple certifies P-256 and RSA-2048, not \(key.algorithm)")
    }
    guard ["active", "pre-active"].contains(key.state) else {
      throw .failed("\(key.label): the key is \(key.state); Apple wants a new one")
    }
  }
}

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
    guard let certificate = certificates.first, certificates.count == 1 else {
      throw .failed("\(path): expected one certificate in it")
    }
    let der = certificate.der
    let daemon = try Daemon(arguments)
    let id = try daemon.key(arguments.operands[0])
    let (key, sequence) = try daemon.ask(
      daemon.client.changeKey(
        .attachCertificate, id, AttachCertificateRequest(certificate: der.span)),
      rejectedMeans:
        "the certificate is another key's or merchant's or none of Apple's, or the key has this one or needs none any more"
    )
    Output.tell(key, sequence, arguments)
  }
}
