import Configuration
import Crypto
import Doctor
import Host
import KeyStore
import Policy

extension FindingRow {
  static let daemonRows: [FindingRow] = [
    FindingRow("daemon-gone", 1, "No daemon answers: no such file") {
      $0.surroundings.ask = { _ in .gone(reason: "no such file") }
    },
    FindingRow("daemon-silent", 1, "does not answer") { $0.surroundings.ask = { _ in .silent } },
    FindingRow("daemon-locked", 1, "The key store is locked") {
      $0.surroundings.ask = { _ in .locked }
    },
    FindingRow("daemon-unavailable", 1, "The audit log cannot be written") {
      $0.surroundings.ask = { _ in .unavailable }
    },
    FindingRow("not-examined", 3, "You may not connect to the daemon") {
      $0.surroundings.ask = { _ in .closed }
    },
    FindingRow("start-failed", 1, "kistd did not start: kist.toml:3:1: no such key.") { host in
      try host.write(
        "/run/kist/last-load", LastLoad(count: 1, refusal: "kist.toml:3:1: no such key").line)
    },
    FindingRow("reload-refused", 1, "goes on with the old ones: nobody approved the policy") {
      host in
      try host.write(
        "/run/kist/last-load", LastLoad(count: 2, refusal: "nobody approved the policy").line)
    },
    FindingRow("configuration-not-in-force", 3, "is not the one that the daemon took") {
      try $0.take("configuration", String(repeating: "0", count: 64))
    },
    FindingRow("policy-not-in-force", 3, "The policy in the files is not the one in force") {
      try $0.take("policy", String(repeating: "0", count: 64))
    },
    FindingRow(
      "library-replaced", 3, "libcrypto.so.3 was replaced, and kistd runs with the one of before"
    ) { host in
      try host.write("/proc/stat", "cpu 1 2 3\nbtime 1000\n")
      try host.write(
        "/proc/77/stat", "77 (kistd) S 1" + String(repeating: " 0", count: 17) + " 500 0 0\n")
      try host.write("/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "newer")
    },
    FindingRow("daemon-outdated", 3, "kistd 0.9 still runs, and kist 1.0 is installed") {
      $0.report(version: "0.9")
    },
    FindingRow("memory-promise", 1, "does not hold that a crash leaves no core file") {
      $0.report(version: "1.0", broken: ["a crash leaves no core file"])
    },
  ]

  static let configurationRows: [FindingRow] = [
    FindingRow("configuration-missing", 1, "There is no configuration") {
      try $0.remove(configuration)
    },
    FindingRow("configuration-invalid", 1, "/etc/kist/kist.toml:1:1: ") {
      try $0.write(configuration, "sate_directory = \"/var/lib/kist\"\n")
    },
    FindingRow("configuration-untrusted", 1, "others than its owner may write to it") {
      try $0.chmod(configuration, 0o666)
    },
    FindingRow(
      "rehearsal", 1, "[sandbox] makes the daemon a rehearsal that trusts /tmp/root.cer",
      others: ["store-kind"]
    ) {
      try $0.append(
        configuration, "\n[sandbox]\nrehearsal = true\ntrust_anchor = \"/tmp/root.cer\"\n")
    },
    FindingRow("memory-fallback", 3, "lets the daemon run where root can read the keys") {
      try $0.edit(configuration, "# allow_mlock_fallback = false", "allow_mlock_fallback = true")
    },
    FindingRow("confinement-off", 3, "process.seccomp is false") {
      try $0.edit(configuration, "# seccomp = true", "seccomp = false")
    },
    FindingRow("backup-unset", 3, "backup.directory is not set") {
      try $0.edit(configuration, "directory = \"/var/backups/kist\"", "# none")
    },
    FindingRow(
      "origin-example", 1, "audit.origin is still the example's name", others: ["log-origin"]
    ) {
      try $0.edit(configuration, TestLog.origin, "acme.example/kist/prod-1")
    },
    FindingRow("approval-off", 3, "one operator alone can export and destroy keys") {
      try $0.edit(configuration, "[operators]\n", "[operators]\napproval = []\n")
    },
    FindingRow("user-missing", 1, "There is no user kist") { $0.give(without: ["kist"]) },
    FindingRow("group-missing", 1, "There is no group kist-custodians", others: ["policy-invalid"])
    { $0.give(without: ["kist-custodians"]) },
    FindingRow("two-roles", 3, "User alice is in kist-operators and kist-approvers") { host in
      host.groups["alice"] = ["kist-operators", "kist-approvers"]
      host.give()
    },
    FindingRow("service-in-role", 3, "The service user acme-orders is in kist, so") { host in
      host.groups["acme-orders"] = ["kist-clients", "kist"]
      host.give()
    },
    FindingRow(
      "grant-user-outside-group", 3, "Grant operators names bob, who is in none of its groups"
    ) { host in
      host.groups["bob"] = []
      host.give()
    },
  ]

  static let policyRows: [FindingRow] = [
    FindingRow("policy-missing", 1, "There is no policy") { try $0.remove("/etc/kist/policy.d") },
    FindingRow("policy-invalid", 1, "20-example.toml:1:1: ") {
      try $0.write(services, "frob = 1\n")
    },
    FindingRow("policy-untrusted", 1, "others than its owner may write to it") {
      try $0.chmod(roles, 0o664)
    },
    FindingRow("policy-empty", 1, "there is no grant: every request would be denied") { host in
      try host.write(roles, "")
      try host.write(services, "")
    },
    FindingRow("policy-nobody-unlocks", 1, "no grant has unlock or submit-share") { host in
      try host.edit(roles, "\"unlock\", ", "")
      try host.edit(roles, "\"submit-share\", ", "")
    },
    FindingRow("policy-nobody-approves", 3, "no grant has approve") {
      try $0.edit(roles, "\"approve\", ", "")
    },
    FindingRow("grant-executables", 1, "Grant more names executables") {
      try $0.grant("operations = [\"verify-payment-token\"]\nexecutables = [\"/usr/bin/shop\"]")
    },
    FindingRow("grant-pan-without-cryptogram", 3, "releases dpan without cryptogram and eci") {
      try $0.edit(services, "\"cryptogram\", \"eci\"]", "\"cryptogram\"]")
    },
    FindingRow("grant-ended", 3, "Grant more ended at 2026-01-01") {
      try $0.grant("operations = [\"verify-payment-token\"]\nuntil = \"2026-01-01T00:00:00Z\"")
    },
    FindingRow("grant-unit-name", 3, "did you mean shop.service?") {
      try $0.grant("operations = [\"verify-payment-token\"]\nunits = [\"shop\"]")
    },
    FindingRow("grant-releases-nothing", 3, "opens tokens and releases nothing") {
      try $0.grant("operations = [\"open-payment-token\"]\nkeys = [\"merchant/other/*\"]")
    },
    FindingRow(
      "grant-shared-by-containers", 3,
      "names user 300000 by the number alone: every container with that uid is this caller"
    ) {
      try $0.grant("operations = [\"verify-payment-token\"]", callers: "users = [300000]")
    },
    FindingRow("grant-unlimited", 3, "lets many users fill the log") {
      try $0.grant(
        "operations = [\"verify-payment-token\"]", callers: "groups = [\"kist-clients\"]")
    },
    FindingRow("subuid-unread", 1, "/etc/subuid: longer than 1 MiB, so kistd does not start") {
      try $0.write("/etc/subuid", String(repeating: "#", count: 1 << 20) + "\n")
    },
    FindingRow(
      "grant-partner-missing", 3,
      "Grant more releases to partner/acquirer, and the key store has no partner's key"
    ) {
      try $0.grantToPartner()
    },
    FindingRow(
      "grant-partner-missing", 3,
      "Grant more releases to partner/acquirer, and the key store has no partner's key"
    ) { host in
      try host.grantToPartner()
      try host.change { try $0.addSymmetric("partner/acquirer") }
    },
    FindingRow(
      "grant-partner-missing", 3,
      "Grant more releases to partner/acquirer, and the key store has no partner's key"
    ) { host in
      try host.grantToPartner()
      try host.change { store in
        let key = try store.addSymmetric("partner/acquirer", .partnerEncryptionAES)
        try store.setState(.retired, of: key.id, at: TestLog.day(-1), anchor: .beginning)
      }
    },
    FindingRow("grant-unreachable", 3, "Grant more is never reached: grant random") { host in
      try host.grant(
        "operations = [\"random\"]", callers: "users = [\"frank\"]\ngroups = [\"kist-auditors\"]")
      try host.edit(services, "groups = [\"kist-clients\"]", "users = [\"frank\"]")
    },
    FindingRow("grant-never-in-force", 3, "is never in force") {
      try $0.grant(
        "operations = [\"verify-payment-token\"]\nfrom = \"2026-12-05T00:00:00Z\"\nuntil = \"2026-12-05T23:00:00Z\"\nhours = [\"mon-fri 08:00-18:00\"]"
      )
    },
    FindingRow("grant-overruled", 3, "Grant more does not decide") { host in
      try host.grant(
        "operations = [\"open-payment-token\"]\nkeys = [\"merchant/acme/*\", \"merchant/other/*\"]\nrelease = [\"last4\", \"network\", \"amount\"]",
        callers: "users = [\"acme-orders\"]")
    },
    FindingRow("grant-to-group", 3, "gives operators' operations to a group") {
      try $0.grant(
        "operations = [\"status\"]\nrate = \"1/s\"", callers: "groups = [\"kist-auditors\"]")
    },
    FindingRow("grant-needs-kernel", 3, "this kernel does not tell a caller's unit") { host in
      host.surroundings.kernel.tellsProcesses = false
      try host.grant("operations = [\"verify-payment-token\"]\nunits = [\"shop.service\"]")
    },
  ]
}

extension FalseHost {
  /// A daemon that serves and says this of itself.
  fileprivate func report(version: String, broken: [String] = []) {
    surroundings.ask = { question in
      question.mayAskStatus(1001, [993])
        ? .serving(DaemonReport(version: version, broken: broken)) : .gone(reason: "")
    }
  }

  /// Adds the grant `more`.
  func grantToPartner() throws {
    try grant(
      "operations = [\"open-payment-token\"]\nkeys = [\"merchant/other/*\"]\nrelease = [\"last4\"]\nrelease_to = \"partner/acquirer\""
    )
  }

  fileprivate func grant(_ body: String, callers: String = "users = [\"acme-gateway\"]") throws {
    try write("/etc/kist/policy.d/30-more.toml", "[[grant]]\nid = \"more\"\n\(callers)\n\(body)\n")
  }
}
