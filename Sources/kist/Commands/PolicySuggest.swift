internal import Configuration
internal import Encoding
internal import Policy
internal import PolicyReview

extension Command {
  static let policySuggest = Command(
    name: "policy suggest",
    summary: "propose the least policy that the logged requests need",
    usage: """
      Usage: kist policy suggest [--since TIME] [--log DIR] [--rates]

      Prints a policy file that allows what the log says was allowed, and no more:
      each user, with its unit where it had one, the operations and keys it used and
      the fields it got. Put it into a directory of its own and see what kist policy
      check, diff and simulate say of it before it takes the old one's place.

      What leaves no record needs grants of your own: status, and who may see stages.

        --since TIME  such as 2026-11-20 or 2026-11-20T09:30:00Z, in UTC
        --log DIR     the audit log (default /var/log/kist/audit)
        --rates       limit each grant to twice the most that a user made of it in
                      any minute; this reads the log twice

      """,
    options: RecordedTraffic.options + [.flag("rates")]
  ) { arguments throws(CommandFailure) in
    let traffic = try RecordedTraffic(arguments)
    var suggestion = PolicySuggestion()
    try traffic.forEach { suggestion.add($0) }
    var policy = try policy(suggestion, traffic) { _ in nil }
    if arguments.has("rates") {
      var peaks = PeakUse(policy)
      try traffic.forEach { peaks.replay($0) }
      policy = try Self.policy(suggestion, traffic, rate: peaks.rate)
    }
    let since = arguments.value("since").map { " since \($0)" } ?? ""
    Output.write("# what \(suggestion.requestCount) allowed requests\(since) needed; status and stages leave no record\n")
    if suggestion.listsUnknownKeys { Output.write("# which keys list-keys showed is not on the record: narrow a grant of it that names every key\n") }
    Output.write(policy.canonicalText)
  }
  private static func policy(
    _ suggestion: PolicySuggestion, _ traffic: RecordedTraffic, rate: (String) -> Rate?
  ) throws(CommandFailure) -> Policy {
    do {
      return try Policy(suggestion.rules(.system, rate: rate))
    } catch { throw .failed("\(traffic.directory): a caller used more keys than one grant can name") }
  }
}
