import Format
import KistClient
import Sandbox

extension Command {
  static let sandboxPassRequest = Command(
    name: "sandbox pass-request",
    summary: "make what a phone sends to an issuer's host to add a card",
    usage: """
      Usage: kist sandbox pass-request [--dir DIR] [--defect DEFECT]

      Prints certificates, nonce and nonceSignature as an app posts them, in base64
      within JSON: first the leaf's certificate, then that of Apple's CA for issuers,
      under the sandbox's root. Every request has a new nonce.

        --dir DIR        the sandbox (default: KIST_SANDBOX)
        --defect DEFECT  make it wrong in one way: other-root, no-leaf-marker,
                         expired or bad-nonce-signature; only kist sandbox pass-open
                         finds the last, as only Apple would

      Example:
        kist sandbox pass-request > request.json
        kist pass provision --request request.json --name Bob --expiration 12/30 \\
          --key issuer/visa/sandbox --visa MBPAD > sealed.json
        kist sandbox pass-open sealed.json

      """,
    options: ["dir", "defect"],
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let defect: PassDefect? = try arguments.choice("defect")
    let path = try arguments.sandbox()
    let request = try onSandbox(path, SandboxDirectory(path).passRequest(defect: defect))
    Output.write(request.json)
  }
}

extension Command {
  static let sandboxPassOpen = Command(
    name: "sandbox pass-open",
    summary: "open an issuer's answer, as Apple and the network do",
    usage: """
      Usage: kist sandbox pass-open FILE|- [--dir DIR] [--unchecked]

      FILE has encryptedPassData, ephemeralPublicKey and activationData in base64
      within JSON, as the issuer's host answers, or what kist pass provision prints;
      - is standard input. Prints the pass, and what the network found in the
      activation data, in JSON. It refuses a pass that is not sealed for this
      sandbox's Apple, members that Apple does not accept together, and a nonce that
      kist sandbox pass-request did not give.

      It decrypts the networks' values under issuer/visa/sandbox, and verifies those
      under issuer/mastercard/sandbox; they must be about this card and nonce.
      "checked" is false if the number itself is not in the pass.

        --dir DIR    the sandbox (default: KIST_SANDBOX)
        --unchecked  ignore the networks' values: for those made with other keys, or
                     for another network

      """,
    options: ["dir", .flag("unchecked")],
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let file = arguments.operands[0]
    let path = try arguments.sandbox()
    let sealed: SealedPassJSON
    let text = try Input(path: file).contents(limit: 64 << 10)
    do throws(PassJSONError) { sealed = try SealedPassJSON(text.span) } catch {
      throw .failed("\(file): \(error.text)")
    }
    let pass = try onSandbox(
      path,
      SandboxDirectory(path).open(sealed, now: .now, asksNetworks: !arguments.has("unchecked")))
    Output.write(pass.json)
  }
}

extension PassJSONError {
  var text: String {
    switch self {
    case .notObject: "not an object in JSON, or larger than any pass"
    case .missing(let member): "\(member) is missing"
    case .malformed(let member): "\(member) is not base64, or of another kind"
    }
  }
}

extension PassFault {
  /// What is wrong with a pass, and where to look.
  var text: String {
    switch self {
    case .ephemeralKey:
      "ephemeralPublicKey is not a point of P-256; expected 65 bytes that begin with 04"
    case .ciphertext:
      "encryptedPassData does not open: it was sealed for another certificate than this sandbox's leaf, with another ephemeralPublicKey, or changed since"
    case .notObject: "what was sealed is not an object of texts in JSON"
    case .members:
      "what was sealed does not have the members of one of Apple's configurations; proto/PROTOCOL.md has the table (OP-PROV-3)"
    case .nonce:
      "nonce and nonceSignature are not as this sandbox's phone gave them; expected those of kist sandbox pass-request, in hexadecimal"
    case .activation(let fault): "the network refuses activationData: \(fault.text)"
    case .encryptedNumber(let fault): "Visa refuses encryptedPrimaryAccountNumber: \(fault.text)"
    }
  }
}

extension NetworkFault {
  fileprivate var text: String {
    switch self {
    case .form:
      "it has neither Visa's form nor Mastercard's; --unchecked opens the pass without asking the network"
    case .key:
      "it is made under a key that the sandbox's network does not have; use \(TestIssuer.visa.label) or \(TestIssuer.mastercard.label), or open it with --unchecked"
    case .decryption: "it does not decrypt under \(TestIssuer.visa.label)"
    case .contradiction: "it is about another card or nonce than the pass"
    case .signature:
      "it is not signed with \(TestIssuer.mastercard.label) over this number and expiry; --unchecked opens the pass without asking the network"
    case .time: "it is no longer valid by the sandbox's clock, or valid for more than 30 days"
    }
  }
}
