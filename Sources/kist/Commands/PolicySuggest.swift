internal import Configuration
internal import Encoding
internal import Policy
internal import PolicyReview

extension Command {
  static let policySuggest = Command(
    name: "policy suggest",
    summary: "propose the least policy that the logged requests need",
    usage: """
      Usage: kist policy suggest [--since TIME] [--log DIR]

      Prints a policy file that allows what the log says was allowed, and no more:
      each user, with its unit where it had one, the operations and keys it used and
      the fields it got. Put it into a directory of its own and see what kist policy
      check, diff and simulate say of it before it takes the old one's place.

      What leaves no record needs grants of your own: status, and who may see stages.

        --since TIME  such as 2026-11-20 or 2026-11-20T09:30:00Z, in UTC
        --log DIR     the audit log (default /var/log/kist/audit)

      """,
    options: RecordedTraffic.options
  ) { arguments throws(CommandFailure) in
    let traffic = try RecordedTraffic(arguments)
    var suggestion = PolicySuggestion()
    try traffic.forEach { suggestion.add($0) }
    let policy: Policy
    do {
      policy = try Policy(suggestion.policy(.system))
    } catch { throw CommandFailure.failed("\(traffic.directory): a caller used more keys than one grant can name") }
    let since = arguments.value("since").map { " since \($0)" } ?? ""
    Output.write("# what \(suggestion.requestCount) allowed requests\(since) needed; status and stages leave no record\n")
    if suggestion.listsUnknownKeys { Output.write("# which keys list-keys showed is not on the record: narrow a grant of it that names every key\n") }
    Output.write(policy.canonicalText)
  }
}
