/// One place on a command line where a file is named: `FILE` stands for its path, `DIR` for the
/// sandbox's directory.
struct FileArgument: Sendable {
  let name: String
  let words: String
  /// Whether others must not be able to change the file, as they can a device's.
  var isTrusted = false
  /// Whether a directory may stand there, too.
  var takesDirectories = false
  /// Whether there may be no such file yet.
  var mayBeAbsent = false

  init(
    _ name: String, _ words: String, isTrusted: Bool = false, takesDirectories: Bool = false,
    mayBeAbsent: Bool = false
  ) {
    self.name = name
    self.words = words
    self.isTrusted = isTrusted
    self.takesDirectories = takesDirectories
    self.mayBeAbsent = mayBeAbsent
  }

  static let rows: [FileArgument] = [
    FileArgument("doctor", "--certificate FILE"),
    FileArgument("doctor", "--domain-association FILE"),
    FileArgument("doctor", "--checkpoint FILE"),
    FileArgument("inventory", "--owners FILE"),
    FileArgument("inventory", "--custodians FILE"),
    FileArgument("key import", "FILE --label merchant/sandbox/a --role signing-ecdsa"),
    FileArgument("key import", "FILE --label merchant/sandbox/a --role sealing"),
    FileArgument(
      "key import", "FILE --under merchant/sandbox/kek --label merchant/sandbox/a --role sealing"),
    FileArgument(
      "key import",
      "DIR/pki/sandbox-processing-ec.key --certificate FILE --label merchant/sandbox/a --role merchant-processing-ec"
    ),
    FileArgument("key attach", "merchant/sandbox/processing-ec FILE"),
    FileArgument("ceremony plan", "FILE"),
    FileArgument("ceremony rehearse", "FILE DIR/ceremony"),
    FileArgument("ceremony run", "FILE DIR/ceremony"),
    FileArgument("token open", "FILE"),
    FileArgument("token verify", "FILE"),
    FileArgument("token diagnose", "FILE"),
    FileArgument("token diagnose", "DIR/token.json --cert FILE"),
    FileArgument("token diagnose", "DIR/token.json --cert DIR/pki/root.cer FILE"),
    FileArgument("token diagnose", "DIR/token.json --root FILE"),
    FileArgument("primitive seal", "FILE --key merchant/sandbox/sealing"),
    FileArgument(
      "primitive sign", "FILE --key merchant/sandbox/signing --scheme ecdsa-p256-sha256"),
    FileArgument(
      "primitive verify",
      "FILE --key merchant/sandbox/signing --scheme ecdsa-p256-sha256 --signature 00"),
    FileArgument("primitive mac", "FILE --key merchant/sandbox/mac"),
    FileArgument(
      "primitive verify-mac", "FILE --key merchant/sandbox/mac --mac \(CommandRow.digits32)"),
    FileArgument("primitive unwrap", "FILE --key merchant/sandbox/unwrapping"),
    FileArgument("pan tokenise", "FILE --key merchant/sandbox/surrogate --merchant-id merchant.a"),
    FileArgument(
      "pass provision",
      "--certificate FILE --nonce 00 --nonce-signature 00 --expiration 12/30 --name A --account-fd 0"
    ),
    FileArgument(
      "pass provision",
      "--certificate DIR/pki/root.cer --nonce 00 --nonce-signature 00 --expiration 12/30 --name A --account-fd 0 --activation-data FILE"
    ),
    FileArgument("pass provision", "--request FILE --expiration 12/30 --name A --account-fd 0"),
    FileArgument("fleet check", "FILE FILE"),
    FileArgument("fleet status", "--claimd FILE"),
    FileArgument("policy check", "DIR/policy.d --users FILE"),
    FileArgument("policy check", "DIR/policy.d --groups FILE"),
    FileArgument("policy test", "FILE --dir DIR/policy.d"),
    FileArgument("policy diff", "DIR/policy.d DIR/policy.d --users FILE"),
    FileArgument("audit verify", "FILE --key DIR/audit.vkey", takesDirectories: true),
    FileArgument("audit verify", "DIR/audit --key FILE"),
    FileArgument("audit verify", "DIR/audit --key DIR/audit.vkey --checkpoint FILE"),
    FileArgument("audit verify", "DIR/audit --key DIR/audit.vkey --witnesses FILE"),
    FileArgument("audit export", "DIR/audit DIR/never --key FILE"),
    FileArgument(
      "audit export", "DIR/audit DIR/hex/never --key DIR/audit.vkey --transcript FILE",
      takesDirectories: true),
    FileArgument("audit prove", "DIR/audit 1 --key FILE"),
    FileArgument("audit prove", "DIR/audit 1 --key DIR/audit.vkey --checkpoint FILE"),
    FileArgument("audit prove", "DIR/audit --from FILE --key DIR/audit.vkey"),
    FileArgument("audit prune", "DIR/audit --before 2020-01-01 --key FILE --config DIR/kist.toml"),
    FileArgument(
      "audit prune", "DIR/audit --before 2020-01-01 --key DIR/audit.vkey --config FILE",
      isTrusted: true),
    FileArgument(
      "audit compress", "DIR/audit --before 2020-01-01 --key DIR/audit.vkey --config FILE",
      isTrusted: true),
    FileArgument("audit checkpoint", "DIR/audit --key FILE"),
    FileArgument("audit tail", "DIR/audit --cursor FILE", mayBeAbsent: true),
    FileArgument("audit cosign", "FILE DIR/hex --key DIR/audit.vkey --witnesses DIR/hex"),
    FileArgument(
      "audit cosign", "DIR/checkpoint FILE --key DIR/audit.vkey --witnesses DIR/witnesses"),
    FileArgument("audit cosign", "DIR/checkpoint DIR/hex --key DIR/audit.vkey --witnesses FILE"),
    FileArgument("audit report", "DIR/audit --since 2020-01-01 --key FILE"),
    FileArgument("audit report", "DIR/audit --since 2020-01-01 --keys FILE"),
    FileArgument(
      "audit report", "DIR/audit --since 2020-01-01 --key DIR/audit.vkey --checkpoint FILE"),
    FileArgument("sandbox init", "DIR/never --config FILE"),
    FileArgument("sandbox init", "DIR/never --policy FILE"),
    FileArgument("sandbox run", "--dir DIR/never --config FILE"),
    FileArgument("sandbox run", "--dir DIR/never --policy FILE"),
    FileArgument("sandbox pass-open", "FILE --dir DIR"),
    FileArgument("audit review", "DIR/audit --outcome clean --note read --through 1 --key FILE"),
  ]

  /// Commands that speak of files in their help and only write them, or for which one that cannot
  /// be read is an exception on the record.
  static let others: Set<String> = ["keystore init", "keystore credential", "ceremony resume"]
}
