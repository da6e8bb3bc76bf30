internal import Ceremony
internal import Format
internal import KeyStore
internal import KistClient

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
    options: [.value("organization"), .value("country"), .json], daemon: .operators,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let (organization, country) = (arguments.value("organization") ?? "", arguments.value("country") ?? "")
    guard organization.utf8.count <= 64 else { throw .usage("--organization has at most 64 bytes") }
    guard country.isEmpty || country.utf8.count == 2 else { throw .usage("--country has two letters, such as US") }
    let daemon = try Daemon(arguments)
    let key = try daemon.key(named: arguments.operands[0])
    try check(key)
    let der = try daemon.ask(rejectedMeans: "the subject cannot be written: is the country two letters?") { (client) throws(ClientError) in
      try client.certificateRequest(for: key.id, organization: organization, country: country)
    }
    guard !arguments.has("json") else {
      return Output.write(["label": .string(key.label), "request": .string(Base64.encode(der))])
    }
    Output.write(PEM.text("CERTIFICATE REQUEST", der))
  }

  /// Explains what the daemon would only deny.
  private static func check(_ key: Key) throws(CommandFailure) {
    guard KeyRole(rawValue: key.role)?.certifiedPurpose != nil else { throw .failed("\(key.label): Apple certifies no key of role \(key.role)") }
    guard KeyAlgorithm(name: key.algorithm)?.isCertifiedByApple == true else {
      throw .failed("\(key.label): Apple certifies P-256 and RSA-2048, not \(key.algorithm)")
    }
    guard ["active", "pre-active"].contains(key.state) else { throw .failed("\(key.label): the key is \(key.state); Apple wants a new one") }
  }
}
