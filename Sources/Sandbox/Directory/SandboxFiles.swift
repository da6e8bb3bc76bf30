internal import Encoding

/// The texts of a sandbox's files.
enum SandboxFiles {
  /// - Parameter origin: the audit log's name.
  static func configuration(_ directory: String, origin: String, clock: Timestamp?) -> String {
    """
    # A throw-away daemon; kist.toml(5) describes every key.
    state_directory = "\(directory)/state"

    [service]
    socket = "\(directory)/run/kist.sock"
    mode = "0666"

    [admin]
    socket = "\(directory)/run/admin.sock"

    [policy]
    directory = "\(directory)/policy.d"

    [audit]
    directory = "\(directory)/audit"
    origin = "\(origin)"
    segment_size = "1MiB"

    [memory]
    # With the operator's own half, within the 8 MiB that a user may usually lock.
    arena_size = "4MiB"
    allow_mlock_fallback = true

    [limits]
    connections = 32

    [apple_pay]
    replay_entries = 65536

    [unlock]
    credential = "\(directory)/kek"

    [sandbox]
    rehearsal = true
    trust_anchor = "\(directory)/pki/root.cer"
    \(clock.map { "clock = \"\($0.wholeSeconds)\"" } ?? "# clock = \"2026-11-20T09:30:00Z\"")

    """
  }

  /// - Parameter user: the user who may use and operate the sandbox.
  static func policy(user: UInt32) -> String {
    """
    # Who may do what in this sandbox; kist.toml(5), POLICY.

    [[grant]]
    id = "shop"
    users = [\(user)]
    operations = ["open-payment-token", "verify-payment-token", "list-keys", "describe-key", "describe", "random", "who"]
    keys = ["merchant/sandbox/*"]
    release = ["dpan", "last4", "bin", "network", "expiry", "currency", "amount", "cryptogram", "eci", "payment-data-type"]

    [[grant]]
    id = "auditor"
    users = [\(user)]
    operations = ["audit-digest", "review-log"]
    rate = "10/m"

    [[grant]]
    id = "operator"
    users = [\(user)]
    operations = ["status", "metrics", "unlock", "lock", "import-key", "describe-key", "certificate-request", "export-key", "import-block"]
    keys = ["*"]
    stages = true

    """
  }
}
