/// The text of a sandbox's policy.
enum SandboxFiles {
  /// - Parameter user: the user who may use and operate the sandbox.
  static func policy(user: UInt32) -> String {
    """
    # Who may do what in this sandbox; kist.toml(5), POLICY.

    [[grant]]
    id = "shop"
    users = [\(user)]
    operations = ["open-payment-token", "verify-payment-token", "describe-key", "describe", "random", "who"]
    keys = ["merchant/sandbox/*"]
    release = ["dpan", "last4", "bin", "network", "expiry", "currency", "amount", "cryptogram", "eci", "payment-data-type"]

    [[grant]]
    id = "auditor"
    users = [\(user)]
    operations = ["audit-digest", "review-log", "record-drill"]
    rate = "10/m"

    [[grant]]
    id = "issuer"
    users = [\(user)]
    operations = ["provision-pass", "provision-trace", "sign-otp", "seal", "describe-key"]
    keys = [\(TestIssuer.allCases.map { "\"\($0.label)\"" }.joined(separator: ", "))]
    release = ["dpan"]
    stages = true
    rate = "100/s"

    [[grant]]
    id = "operator"
    users = [\(user)]
    operations = [
      "status", "metrics", "unlock", "lock", "submit-share", "share-progress", "generate-key", "import-key", "import-block", "list-keys", "describe-key",
      "certificate-request", "attach-certificate", "activate-key", "suspend-key", "resume-key", "retire-key", "compromise-key", "destroy-key", "export-key",
      "back-up", "approve", "list-requests", "swap-policy", "reset-otp-lockout",
    ]
    keys = ["*"]
    stages = true

    """
  }
}
