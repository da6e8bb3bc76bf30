internal import Format
internal import KistClient
internal import Sandbox

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
    options: [.value("dir"), .flag("unchecked")],
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let (file, path) = (arguments.operands[0], try arguments.sandbox())
    let sealed: SealedPassJSON
    let text = try Input(path: file).contents(limit: 64 << 10)
    do throws(PassJSONError) { sealed = try SealedPassJSON(text.span) } catch { throw .failed("\(file): \(error.text)") }
    let pass: OpenedPass
    do throws(SandboxError) {
      pass = try SandboxDirectory(path).open(sealed, now: .now, asksNetworks: !arguments.has("unchecked"))
    } catch {
      throw CommandFailure.sandbox(error, path)
    }
    Output.write(pass.json)
  }
}
