import Configuration
import Format
import Policy
import Review

extension Command {
  static let policyTest = Command(
    name: "policy test",
    summary: "run a table of cases against the policy files",
    usage: """
      Usage: kist policy test FILE [--dir DIR] [--at TIME] [--json]

      Each [[case]] of FILE, which is TOML, is a request and the expected decision:

        [[case]]
        name = "the shop opens tokens"     # optional
        user = "acme-web"                  # name or number
        groups = ["acme"]                  # default: the user's own here
        unit = "acme-web.service"          # optional, as is executable
        operation = "open-payment-token"
        key = "merchant/acme/processing-2026"
        at = "2026-12-01T09:30:00Z"        # optional, UTC
        grant = "acme"                     # or: denied = true
        release = ["last4", "network"]     # optional, exactly these

        --dir DIR  the policy files (default /etc/kist/policy.d)
        --at TIME  when cases without 'at' take place (default: now)
        --json     answer in JSON
        --users FILE, --groups FILE, --no-accounts
                   as for kist policy check

      Exit codes: 0 every decision is as expected, 1 one is not.

      """,
    options: ["dir", "at", .json] + Accounts.options,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let path = arguments.operands[0]
    let accounts = try Accounts(arguments)
    let policy = try PolicyDirectory.read(arguments.value("dir"), accounts: accounts)
    let text = try Input(path: path).contents(limit: 1 << 20)
    let moment = try arguments.moment() ?? .now
    let cases: [PolicyCase]
    do throws(ConfigurationError) {
      cases = try PolicyCase.decode(text, file: path, accounts: accounts, now: moment)
    } catch { throw CommandFailure.misconfigured(error) }
    guard !cases.isEmpty else { throw .failed("\(path): no [[case]] in it") }
    let results = cases.map { ($0, $0.complaint(about: policy)) }
    let failures = results.filter { $0.1 != nil }
    if arguments.has("json") {
      Output.write(["cases": results.map { $0.json($1) }, "ok": failures.isEmpty])
    } else {
      for (test, complaint) in failures {
        Output.write(
          Printable.line("\(test.file):\(test.position.line): \(test.name): \(complaint ?? "")")
            + "\n")
      }
      let count = "\(cases.count) \(cases.count == 1 ? "case" : "cases")"
      Output.write(
        failures.isEmpty
          ? "\(path): \(count), all good\n" : "\(path): \(count), \(failures.count) failed\n")
    }
    guard failures.isEmpty else { throw CommandFailure(code: 1) }
  }
}

extension PolicyCase {
  fileprivate func json(_ complaint: String?) -> CanonicalJSON {
    [
      "line": position.line, "name": name, "ok": complaint == nil, "message": complaint,
    ]
  }
}
