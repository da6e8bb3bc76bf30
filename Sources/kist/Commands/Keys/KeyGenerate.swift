import Format
import KeyStore
import KistClient

extension Command {
  static let keyGenerate = Command(
    name: "key generate",
    summary: "have the daemon generate a key",
    usage: """
      Usage: kist key generate --label LABEL --role ROLE [OPTIONS]

      The key comes from the kernel's generator and is never outside the daemon. A
      merchant's key waits, pre-active, for its certificate (kist key attach) and its
      activation; any other key is active at once.

        --label LABEL         such as merchant/acme/processing-2027
        --role ROLE           as for kist key import
        --algorithm NAME      where the role has several: P-256, P-384, RSA-2048,
                              RSA-3072 or RSA-4096
        --merchant-id ID      such as merchant.com.acme; needed for a merchant's key
        --pre-active          keep the key unused until it is activated
        --exportable          allow export under a key-exchange key
        --not-before MOMENT   when its period of use begins; until then the key waits,
                              pre-active, and must then be activated
        --not-after MOMENT    when it ends (default: with the certificate)
        --max-uses N          how often it may be used in total (default: no limit)
        --key-alias NAME      otp-mastercard: the key's name at MDES
        --digits N, --hash H, --step SECONDS, --window N, --failures N,
        --lockout SECONDS     otp-hotp, otp-totp: as for kist key import
        --wait                if a second operator must approve, wait for that
        --json                answer in JSON
        --socket PATH         the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                              /run/kist/admin.sock)
        --timeout S           give up after so many seconds (default: 10)

      """,
    options: [
      "label", "role", "algorithm", "merchant-id",
      "certificate", .flag("pre-active"), .flag("exportable"),
      "not-before",
      "not-after", "max-uses", "key-set", "key-alias",
      "digits", "hash", "step", "window",
      "failures", "lockout", "jwe-members", .wait, .json,
    ], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let wish = try ImportWish(arguments)
    guard !wish.role.isPublic, wish.jweMembers.isEmpty else {
      throw .usage(
        "a partner's public key, and the members of its JWEs' headers, come with kist key import")
    }
    guard !arguments.has("certificate"), !wish.role.isMerchant || wish.merchant != nil else {
      throw .usage(
        "a merchant's key needs --merchant-id; attach its certificate later, with kist key attach")
    }
    var request = GenerateKeyRequest(label: wish.label.text, role: wish.role.rawValue)
    request.notBefore = UInt64(clamping: try arguments.moment("not-before") ?? 0)
    request.notAfter = UInt64(clamping: wish.notAfter)
    request.useLimit = try arguments.number("max-uses", in: 1...1 << 53 - 1) ?? 0
    request.algorithm = arguments.value("algorithm") ?? ""
    request.merchantIdentifier = wish.merchant?.text ?? ""
    request.preActive = arguments.has("pre-active")
    request.otp = wish.otp
    request.exportable = wish.isExportable
    let daemon = try Daemon(arguments)
    let (key, sequence) = try daemon.ask(
      daemon.client.changeKey(.generateKey, nil, request),
      rejectedMeans: "the label is taken, the values do not fit the role, or the period is over")
    Output.tell(key, sequence, arguments)
  }
}
