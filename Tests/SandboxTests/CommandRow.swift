/// What one command of `kist` is run with, and what comes of it.
///
/// `DIR` in a word stands for the sandbox's directory, `N` at the end of a word for a number that
/// is another in each run.
struct CommandRow: Sendable {
  let name: String
  let words: String
  /// What standard input has.
  var input = ""
  /// The exit code with those words.
  var code: Int32 = 0
  /// Whether a second run in a changed world fails.
  var isOnce = false
  /// The exit code at a locked daemon.
  var lockedCode: Int32 = 1
  /// Words that make no sense, or name what is not there, and their exit code.
  let wrong: String
  var wrongCode: Int32 = 1

  init(
    _ name: String, _ words: String = "", input: String = "", code: Int32 = 0, isOnce: Bool = false,
    lockedCode: Int32 = 1, wrong: String,
    _ wrongCode: Int32 = 1
  ) {
    self.name = name
    self.words = words
    self.input = input
    self.code = code
    self.isOnce = isOnce
    self.lockedCode = lockedCode
    self.wrong = wrong
    self.wrongCode = wrongCode
  }

  static let digits32 = String(repeating: "0", count: 64)

  static let rows: [CommandRow] = [
    CommandRow("status", lockedCode: 0, wrong: "--memory --ready", 2),
    CommandRow("doctor", "--config DIR/kist.toml", code: 3, wrong: "--certificate DIR/none", 66),
    CommandRow("unlock", "--passphrase-fd 0", input: "wrong\n", wrong: "--share-fd 0", 2),
    CommandRow("share verify", "--share-fd 0", input: "no words\n", code: 1, wrong: "x", 2),
    CommandRow("share progress", lockedCode: 0, wrong: "x", 2),
    CommandRow("backup", wrong: "x", 2),
    CommandRow("restore", "DIR/none DIR/state --digest \(digits32)", code: 1, wrong: "DIR/none", 2),
    CommandRow("drill", "DIR/none --share-fd 0", input: "no words\n", code: 1, wrong: "", 2),
    CommandRow("approve", "--list", wrong: "00"),
    CommandRow("ping", lockedCode: 0, wrong: "x", 2),
    CommandRow("describe", wrong: "x", 2),
    CommandRow("who", wrong: "x", 2),
    CommandRow("top", "-n 1", lockedCode: 0, wrong: "-n 0", 2),
    CommandRow("inventory", wrong: "--owners DIR/none", 66),
    CommandRow(
      "keystore init", "DIR/newN --passphrase-fd 0", input: "a long passphrase\n", code: 1,
      wrong: "", 2),
    CommandRow(
      "keystore credential", "DIR/none --credential-out DIR/cred --share-fd 0", input: "no words\n",
      code: 1, wrong: "DIR", 2),
    CommandRow("keystore forget-log", "DIR/none", code: 1, wrong: "", 2),
    CommandRow(
      "key generate", "--label merchant/sandbox/newN --role sealing",
      wrong: "--label X --role sealing", 2),
    CommandRow(
      "key import", "DIR/hex --label merchant/sandbox/takenN --role sealing",
      wrong: "DIR/none --label merchant/sandbox/a --role sealing", 66),
    CommandRow("key csr", "merchant/sandbox/processing-ec", wrong: "merchant/sandbox/none"),
    CommandRow(
      "key attach", "merchant/sandbox/processing-ec DIR/pki/sandbox-processing-ec.cer", code: 1,
      wrong: "merchant/sandbox/none DIR/kist.toml"),
    CommandRow("key list", wrong: "x", 2),
    CommandRow("key show", "merchant/sandbox/processing-ec", wrong: "merchant/sandbox/none"),
    CommandRow(
      "key export", "merchant/sandbox/free --under merchant/sandbox/kek",
      wrong: "merchant/sandbox/free", 2),
    CommandRow(
      "key activate", "merchant/sandbox/waiting", isOnce: true, wrong: "merchant/sandbox/none"),
    CommandRow(
      "key suspend", "merchant/sandbox/waiting", isOnce: true, wrong: "merchant/sandbox/none"),
    CommandRow(
      "key resume", "merchant/sandbox/waiting", isOnce: true, wrong: "merchant/sandbox/none"),
    CommandRow(
      "key retire", "merchant/sandbox/waiting", isOnce: true, wrong: "merchant/sandbox/none"),
    CommandRow(
      "key compromise", "merchant/sandbox/waiting", isOnce: true, wrong: "merchant/sandbox/none"),
    CommandRow(
      "key destroy", "merchant/sandbox/waiting", isOnce: true, wrong: "merchant/sandbox/none"),
    CommandRow(
      "key rotate", "plan merchant/sandbox/processing-ec merchant/sandbox/next", wrong: "plan", 2),
    CommandRow("ceremony plan", "DIR/none", code: 66, wrong: "DIR/kist.toml"),
    CommandRow("ceremony rehearse", "DIR/none DIR/rehearsal", code: 66, wrong: "DIR/none", 2),
    CommandRow("ceremony run", "DIR/none DIR/ceremony", code: 66, wrong: "DIR/none", 2),
    CommandRow("ceremony resume", "DIR/none", code: 66, wrong: "", 2),
    CommandRow("ceremony verify", "DIR/none", code: 66, wrong: "", 2),
    CommandRow("token open", "DIR/token.json", isOnce: true, wrong: "DIR/none", 66),
    CommandRow("token verify", "DIR/token.json", wrong: "DIR/kist.toml"),
    CommandRow("token diagnose", "DIR/token.json --root DIR/pki/root.cer", wrong: "DIR/kist.toml"),
    CommandRow(
      "envelope open",
      "00 --key merchant/sandbox/sealing --merchant-id merchant.a --transaction \(digits32)",
      code: 1,
      wrong: "xy --key x --merchant-id merchant.a --transaction 00", 2),
    CommandRow(
      "primitive seal", "- --key merchant/sandbox/sealing", input: "x",
      wrong: "- --key merchant/sandbox/none"),
    CommandRow("primitive unseal", "00 --key merchant/sandbox/sealing", code: 1, wrong: "xy", 2),
    CommandRow(
      "primitive sign", "- --key merchant/sandbox/signing --scheme ecdsa-p256-sha256", input: "x",
      wrong: "- --key merchant/sandbox/signing --scheme x", 2),
    CommandRow(
      "primitive verify",
      "- --key merchant/sandbox/signing --scheme ecdsa-p256-sha256 --signature 00", input: "x",
      code: 1, wrong: "- --key x --signature 0", 2
    ),
    CommandRow(
      "primitive mac", "- --key merchant/sandbox/mac", input: "x",
      wrong: "- --key merchant/sandbox/mac --length 1", 2),
    CommandRow(
      "primitive verify-mac", "- --key merchant/sandbox/mac --mac \(digits32)", input: "x", code: 1,
      wrong: "- --key merchant/sandbox/mac", 2),
    CommandRow(
      "primitive ecdh", "\(point) --key merchant/sandbox/agreement",
      wrong: "04 --key merchant/sandbox/agreement"),
    CommandRow(
      "primitive kdf",
      "\(point) --derivation hkdf-sha256 --count 32 --key merchant/sandbox/agreement",
      wrong: "00 --derivation x --count 32 --key x", 2),
    CommandRow(
      "primitive unwrap", "- --key merchant/sandbox/unwrapping", input: "x", code: 1,
      wrong: "DIR/none --key merchant/sandbox/unwrapping", 66),
    CommandRow(
      "pan tokenise", "- --key merchant/sandbox/surrogate --merchant-id merchant.a", input: pan,
      wrong: "- --key merchant/sandbox/surrogate", 2),
    CommandRow(
      "pan detokenise",
      "4109370251004320 --key merchant/sandbox/surrogate --merchant-id merchant.a", code: 1,
      wrong: "x --key merchant/sandbox/surrogate --merchant-id merchant.a"),
    CommandRow(
      "pass provision", "--request DIR/request.json --expiration 12/30 --name A --account-fd 0",
      input: pan, wrong: "--nonce xy", 2),
    CommandRow(
      "pass trace", "--recipient \(point) --ephemeral-key \(scalar) --pass-data 7b7d",
      wrong: "--recipient 00 --ephemeral-key 00 --pass-data 00", 2),
    CommandRow(
      "otp sign", "--key merchant/sandbox/codes --subject customer-7",
      wrong: "--key merchant/sandbox/none"),
    CommandRow(
      "otp verify", "--key merchant/sandbox/codes --subject customer-7 --code-fd 0",
      input: "12345678\n", code: 1, wrong: "", 2),
    CommandRow(
      "otp enrol", "--key merchant/sandbox/codes --subject customer-8",
      wrong: "--key merchant/sandbox/codes --subject a:b", 2),
    CommandRow(
      "otp reset", "--key merchant/sandbox/codes --subject customer-7",
      wrong: "--key merchant/sandbox/none"),
    CommandRow("policy check", "DIR/policy.d", wrong: "DIR/none", 66),
    CommandRow(
      "policy explain", "--user 4242 --group 4242 --op random --dir DIR/policy.d", code: 1,
      wrong: "--user 4242 --op frob", 2),
    CommandRow("policy show", "DIR/policy.d", wrong: "DIR/none", 66),
    CommandRow(
      "policy test", "DIR/cases.toml --dir DIR/policy.d", wrong: "DIR/none --dir DIR/policy.d", 66),
    CommandRow("policy diff", "DIR/policy.d DIR/policy.d", wrong: "DIR/policy.d DIR/none", 66),
    CommandRow(
      "policy simulate", "DIR/policy.d --log DIR/audit", wrong: "DIR/none --log DIR/audit", 66),
    CommandRow(
      "policy suggest", "--log DIR/audit --dir DIR/policy.d",
      wrong: "--log DIR/none --dir DIR/policy.d", 66),
    CommandRow("policy swap", "--dir DIR/policy.d", wrong: "--dir DIR/none", 66),
    CommandRow("fleet status", code: 1, wrong: "x", 2),
    CommandRow("fleet check", "DIR/none DIR/none", code: 66, wrong: "DIR/none", 2),
    CommandRow(
      "audit verify", "DIR/audit --key DIR/audit.vkey", wrong: "DIR/none --key DIR/audit.vkey", 66),
    CommandRow(
      "audit export", "DIR/audit DIR/exportN --key DIR/audit.vkey",
      wrong: "DIR/none DIR/never --key DIR/audit.vkey", 66),
    CommandRow(
      "audit prove", "DIR/audit 1 --key DIR/audit.vkey",
      wrong: "DIR/audit 1000000 --key DIR/audit.vkey"),
    CommandRow(
      "audit prune", "DIR/audit --before 2020-01-01 --key DIR/audit.vkey",
      wrong: "DIR/audit --before x --key DIR/audit.vkey", 2),
    CommandRow(
      "audit compress", "DIR/audit --before 2020-01-01 --key DIR/audit.vkey",
      wrong: "DIR/audit --before x --key DIR/audit.vkey", 2),
    CommandRow(
      "audit checkpoint", "DIR/audit --key DIR/audit.vkey", wrong: "DIR/none --key DIR/audit.vkey",
      66),
    CommandRow(
      "audit cosign", "DIR/none DIR/none --key DIR/audit.vkey --witnesses DIR/none", code: 66,
      wrong: "DIR/none", 2),
    CommandRow("audit tail", "DIR/audit", wrong: "DIR/none", 66),
    CommandRow("audit show", "DIR/audit 1", wrong: "DIR/audit 1000000"),
    CommandRow("audit digest", "-", input: pan, wrong: "4109370251004320", 2),
    CommandRow(
      "audit report", "DIR/audit --since 2020-01-01 --key DIR/audit.vkey", wrong: "DIR/audit", 2),
    CommandRow(
      "audit review", "DIR/audit --outcome clean --note read --through 1 --key DIR/audit.vkey",
      wrong: "DIR/audit --note x", 2),
    CommandRow("audit key", wrong: "x", 2),
    CommandRow("sandbox init", "DIR/boxN", wrong: "DIR"),
    CommandRow("sandbox run", "--dir DIR/pki", code: 1, wrong: "--at x", 2),
    CommandRow("sandbox token", "--dir DIR", wrong: "--dir DIR/none"),
    CommandRow("sandbox pass-request", "--dir DIR", wrong: "--dir DIR --defect all", 2),
    CommandRow("sandbox pass-open", "DIR/sealed.json --dir DIR", wrong: "DIR/kist.toml --dir DIR"),
    // Last: it closes the key store.
    CommandRow("lock", isOnce: true, wrong: "x", 2),
  ]

  /// The generator of P-256, uncompressed.
  private static let point =
    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
  private static let scalar = String(repeating: "11", count: 32)
  private static let pan = "4109370251004320\n"
}
