internal import Encoding
internal import KistClient
internal import SecretMemory

extension Command {
  static let panTokenise = Command(
    name: "pan tokenise",
    summary: "make a PAN's surrogate, or seal the PAN for another service",
    usage: """
      Usage: kist pan tokenise FILE|- --key LABEL|ID --merchant-id ID [OPTIONS]

      FILE has the PAN in one line; - is standard input. A key of role surrogate
      makes a surrogate: as many digits, the same last four, never a PAN itself. A
      key of role sealing makes an envelope, printed in hexadecimal, which needs
      --transaction.

        --key LABEL|ID        the key; to be named by its label, it must be listed
        --merchant-id ID      whose surrogate or envelope it is, such as
                              merchant.com.acme
        --transaction HEX     what the envelope is for: 64 hexadecimal digits
        --lifetime SECONDS    how long it can be opened (default: 900)
        --socket PATH         the daemon's socket (default: KIST_ENDPOINT, or
                              /run/kist/kist.sock)

      Example:
        kist pan tokenise pan.txt --key acme/surrogate --merchant-id merchant.com.acme

      """,
    options: [.value("key"), .value("merchant-id"), .value("transaction"), .value("lifetime"), .socket],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let (name, merchant) = (try arguments.required("key"), try arguments.required("merchant-id"))
    let transaction = try arguments.transactionID()
    let lifetime = try arguments.number("lifetime", in: 1...31_622_400 as ClosedRange<UInt32>)
    guard transaction != nil || lifetime == nil else { throw .usage("--lifetime is an envelope's, and needs --transaction") }
    try Hardening.prepareForSecrets()
    let daemon = try Daemon.services(arguments)
    let pan = try Input(path: arguments.operands[0]).secretLine(limit: 32)
    let key = try daemon.keyID(named: name)
    guard let transaction else {
      let surrogate = try daemon.ask { (client) throws(ClientError) in try client.surrogate(ofPAN: pan.bytes, merchant: merchant, withKey: key) }
      return Output.write(surrogate + "\n")
    }
    let terms = EnvelopeTerms(transactionID: transaction, lifetime: lifetime ?? 900)
    let envelope = try daemon.ask { (client) throws(ClientError) in
      try client.envelope(ofPAN: pan.bytes, merchant: merchant, terms: terms, withKey: key)
    }
    Output.write(Hex.encode(envelope) + "\n")
  }
}

extension Daemon {
  /// - Throws: where there is no key of that label that the caller may see.
  func keyID(named name: String) throws(CommandFailure) -> [UInt8] {
    let id = try ask { (client) throws(ClientError) in try client.keyID(named: name) }
    guard let id else { throw .failed("no key '\(name)' that you may see; kist key list lists them") }
    return id
  }
}

extension Arguments {
  /// `--transaction`, 32 bytes in hexadecimal.
  func transactionID() throws(CommandFailure) -> [UInt8]? {
    guard let text = value("transaction") else { return nil }
    guard let bytes = Hex.decode(text), bytes.count == 32 else { throw .usage("--transaction takes 64 hexadecimal digits") }
    return bytes
  }
}
