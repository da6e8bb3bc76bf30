internal import KistClient
internal import Sandbox

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
    options: [.value("dir"), .value("defect")],
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let defect = try PassDefect(arguments)
    let path = try arguments.sandbox()
    let request: PassRequestJSON
    do throws(SandboxError) { request = try SandboxDirectory(path).passRequest(defect: defect) } catch { throw CommandFailure.sandbox(error, path) }
    Output.write(request.json)
  }
}

extension PassDefect {
  fileprivate init?(_ arguments: Arguments) throws(CommandFailure) {
    guard let name = arguments.value("defect") else { return nil }
    guard let defect = PassDefect(rawValue: name) else {
      throw .usage("--defect takes one of \(Self.allCases.map(\.rawValue).joined(separator: ", ")), not '\(name)'")
    }
    self = defect
  }
}
