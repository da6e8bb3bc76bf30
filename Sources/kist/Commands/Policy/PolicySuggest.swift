import Configuration
import Format
import Policy
import Review

extension Command {
  static let policySuggest = Command(
    name: "policy suggest",
    summary: "print the smallest policy that the logged requests need",
    usage: """
      Usage: kist policy suggest [--since TIME] [--log DIR] [--dir DIR] [--rates]

      Prints a policy file that allows what the log says was allowed, and no more:
      each user, with its unit if it had one, the operations and keys it used and the
      fields it got; or its group, if the grant in force names one. It keeps
      operators' grants in force as they are, used or not. Put the file into a
      directory of its own, and run kist policy check, diff and simulate on it before
      it replaces the old policy.

      The log does not say who may see stages: add that yourself.

        --since TIME  such as 2026-11-20 or 2026-11-20T09:30:00Z, in UTC
        --log DIR     the audit log (default /var/log/kist/audit)
        --dir DIR     the policy in force (default /etc/kist/policy.d)
        --rates       limit each grant to twice the most that a user made of it in
                      any minute; this reads the log twice

      """,
    options: RecordedTraffic.options + ["dir", .flag("rates")]
  ) { arguments throws(CommandFailure) in
    let traffic = try RecordedTraffic(arguments)
    var suggestion = PolicySuggestion(inForce: try PolicyDirectory.read(arguments.value("dir")))
    try traffic.forEach { suggestion.add($0) }
    var policy = try policy(suggestion, traffic) { _ in nil }
    var remarks = [
      "what \(suggestion.requestCount) allowed requests\(arguments.value("since").map { " since \($0)" } ?? "") needed; stages leave no record"
    ]
    if arguments.has("rates") {
      var peaks = PeakUse(policy)
      try traffic.forEach { peaks.replay($0) }
      policy = try Self.policy(suggestion, traffic, rate: peaks.rate)
      if let (from, to) = peaks.period {
        remarks.append(
          "rates: twice the most of any minute from \(from.wholeSeconds) to \(to.wholeSeconds)")
      }
    }
    if suggestion.listsUnknownKeys {
      remarks.append(
        "the log does not say which keys list-keys showed: narrow a grant of it that names every key"
      )
    }
    remarks += suggestion.unfitNames.sorted().map {
      "warning: no policy can name \(Printable.line($0)); it is left out"
    }
    remarks += LockOut.all(in: policy).map { "careful: \($0.sentence)" }
    Output.write(remarks.map { "# \($0)\n" }.joined() + policy.canonicalText)
  }

  private static func policy(
    _ suggestion: PolicySuggestion, _ traffic: RecordedTraffic, rate: (String) -> Rate?
  ) throws(CommandFailure) -> Policy {
    do {
      return try Policy(suggestion.rules(.system, rate: rate))
    } catch {
      throw .failed("\(traffic.directory): a caller used more keys than one grant can name")
    }
  }
}
