import Crypto
import Format
import Host
import KistClient

extension Command {
  static let passProvision = Command(
    name: "pass provision",
    summary: "seal a card for Apple Wallet",
    usage: """
      Usage: kist pass provision (--request FILE | --certificate FILE... --nonce HEX
               --nonce-signature HEX) [OPTIONS]

      Prints what the app gives to PassKit, each value in base64. The card's number is
      asked for without echo, or read from a descriptor.

        --request FILE             what the app posted: certificates, nonce and
                                   nonceSignature in base64 within JSON
        --certificate FILE         Apple's certificate, PEM or DER; give one for each
        --nonce HEX                as Apple's app gave them
        --nonce-signature HEX
        --product-type TEXT

        --account-identifier TEXT  the network's identifier instead of the number
        --name TEXT                the cardholder's name
        --expiration MM/YY         the card's
        --network-name TEXT        with these two, the number is encrypted for
        --prefix DIGITS            Visa under the key
        --network-key LABEL|ID     or for this key of the network's, as a JWE

        --account-envelope HEX     instead of the number: as kist primitive seal
                                   prints it
        --associated-data HEX      as given when sealing
        --account-surrogate TEXT   instead of the number: as kist pan tokenise
                                   prints it
        --surrogate-key LABEL|ID   the key that made it
        --merchant-id ID           for whom, such as merchant.com.acme

        --key LABEL|ID             the key of the network's one-time value
        --visa TYPE                MBPAC, MBPAD, MPAC or MPAD; the authentication
                                   code of the first and third is asked for
        --mastercard VERSION       2, 3 or 4
        --activation-data FILE     another network's, passed through

        --account-fd N, --code-fd N
                                   read number or code from open descriptors
        --socket PATH              the daemon's socket (default: KIST_ENDPOINT, or
                                   /run/kist/kist.sock)
        --timeout S                give up after so many seconds (default: 10)

      """,
    options: HiddenAccount.options + [
      "request", .values("certificate"), "nonce", "nonce-signature",
      "product-type", "account-identifier",
      "name", "expiration", "network-name", "prefix",
      "network-key", .key, "visa", "mastercard",
      "activation-data", .accountDescriptor, .codeDescriptor,
    ], daemon: .services,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let phone = try phone(arguments)
    let hiddenAccount = try HiddenAccount(arguments)
    guard
      !arguments.has("network-key")
        || arguments.has("network-name") && !arguments.has("account-identifier")
    else {
      throw .usage("--network-key goes with --network-name, and not with --account-identifier")
    }
    let daemon = try Daemon(arguments)
    let hidden = try hiddenAccount?.account(daemon)
    let request = PassRequest(
      certificates: phone.certificates, nonce: phone.nonce, nonceSignature: phone.nonceSignature,
      card: try card(arguments, hidden, daemon),
      productType: arguments.value("product-type"), activation: try activation(arguments))
    let asks = hidden == nil && !arguments.has("account-identifier")
    let account =
      asks
      ? try arguments.secret(.accountDescriptor, "Card number", limit: 19)
      : try onMemory(SecretBuffer(count: 0))
    var key: [UInt8]?
    if let name = arguments.value("key") { key = try daemon.key(name) }
    let pass = try daemon.ask(
      daemon.client.provisionPass(request, account: account.bytes, key: key))
    Output.write([
      "activation_data": Base64.encode(pass.activationData), "audit_sequence": pass.auditSequence,
      "encrypted_pass_data": Base64.encode(pass.encryptedPassData),
      "ephemeral_public_key": Base64.encode(pass.ephemeralPublicKey),
    ])
  }

  /// What the phone gave, in one file or piece by piece.
  private static func phone(_ arguments: Arguments) throws(CommandFailure) -> PassRequestJSON {
    var certificates: [[UInt8]] = []
    for path in arguments.all("certificate") {
      certificates += try KeyFile.certificates(path).map(\.der)
    }
    let nonce = try arguments.hex("nonce", in: 1...64),
      signature = try arguments.hex("nonce-signature", in: 1...256)
    guard let path = arguments.value("request") else {
      return PassRequestJSON(
        certificates: certificates, nonce: nonce ?? [], nonceSignature: signature ?? [])
    }
    guard certificates.isEmpty, nonce == nil, signature == nil else {
      throw .usage("--request has certificates, nonce and signature already")
    }
    let text = try Input(path: path).contents(limit: 64 << 10)
    do throws(PassJSONError) { return try PassRequestJSON(text.span) } catch {
      throw .failed("\(path): \(error.text)")
    }
  }

  private static func card(_ arguments: Arguments, _ hidden: PassRequest.Account?, _ daemon: Daemon)
    throws(CommandFailure) -> PassRequest.Card
  {
    if let identifier = arguments.value("account-identifier") {
      return .accountIdentifier(identifier, activatedBy: hidden)
    }
    let expiration = try arguments.required("expiration")
    let account = hidden ?? .digits("")
    guard let network = arguments.value("network-name") else {
      return .accountNumber(account, name: try arguments.required("name"), expiration: expiration)
    }
    let prefix = try arguments.required("prefix")
    var encrypted = PassRequest.EncryptedAccount.visa(account, expiration: expiration)
    if let key = arguments.value("network-key") {
      encrypted = .network(account, expiration: expiration, key: try daemon.key(key))
    }
    return .encrypted(
      encrypted, name: arguments.value("name"), prefix: prefix, networkName: network)
  }

  private static func activation(_ arguments: Arguments) throws(CommandFailure)
    -> PassRequest.Activation
  {
    if let path = arguments.value("activation-data") {
      return .opaque(try Input(path: path).contents(limit: 4096))
    }
    if let version = try arguments.number("mastercard", in: 2...4) {
      return .mastercard(MastercardOTP(version: version, expiry: expiry(arguments)))
    }
    guard let type = arguments.value("visa") else { return .none }
    guard let kind = VisaOTP.Kind(rawValue: type) else {
      throw .usage("unknown type '\(type)'; there are MBPAC, MBPAD, MPAC and MPAD")
    }
    guard kind == .mbpac || kind == .mpac else {
      return .visa(VisaOTP(kind, expiry: expiry(arguments)))
    }
    // The code leaves this process only inside the request; the network sees it in clear after
    // decryption.
    let code = try arguments.secret(.codeDescriptor, "Authentication code", limit: 32)
    return .visa(
      VisaOTP(kind, authenticationCode: String(decoding: code.bytes.array, as: UTF8.self)))
  }

  /// MMYY where the pass itself has no expiration, of which the daemon would take it.
  private static func expiry(_ arguments: Arguments) -> String {
    arguments.has("account-identifier")
      ? (arguments.value("expiration") ?? "").filter { $0 != "/" } : ""
  }

}

extension Command {
  static let passTrace = Command(
    name: "pass trace",
    summary: "show every value of one test encryption, as Apple's log has them",
    usage: """
      Usage: kist pass trace --recipient HEX --ephemeral-key HEX --pass-data HEX
               [--socket PATH] [--timeout S]

      Compare the values with Apple's encryptionlog.txt. Only a sandbox answers, and
      it uses no key of a store.

        --recipient HEX      Apple's static public key, 65 bytes
        --ephemeral-key HEX  the log's ephemeral private key, 32 bytes
        --pass-data HEX      the clear text
        --socket PATH        the daemon's socket (default: KIST_ENDPOINT, or
                             /run/kist/kist.sock)
        --timeout S          give up after so many seconds (default: 10)

      """,
    options: ["recipient", "ephemeral-key", "pass-data"], daemon: .services
  ) { arguments throws(CommandFailure) in
    guard let recipient = try arguments.hex("recipient", in: 65...65),
      let ephemeral = try arguments.hex("ephemeral-key", in: 32...32),
      let passData = try arguments.hex("pass-data", in: 1...4096)
    else { throw .usage("--recipient, --ephemeral-key and --pass-data are all needed") }
    let daemon = try Daemon(arguments)
    let trace = try daemon.ask(
      daemon.client.provisionTrace(
        recipient: recipient, ephemeralPrivateKey: ephemeral, passData: passData))
    Output.write(
      Table(
        ["publicKeyHash", Hex.encode(trace.publicKeyHash)],
        ["ephemeralPublicKey", Hex.encode(trace.ephemeralPublicKey)],
        ["sharedSecret", Hex.encode(trace.sharedSecret)],
        ["otherInfo", Hex.encode(trace.otherInfo)],
        ["sharedKey", Hex.encode(trace.sharedKey)],
        ["encryptedPassData", Hex.encode(trace.encryptedPassData)]
      ).text)
  }
}
