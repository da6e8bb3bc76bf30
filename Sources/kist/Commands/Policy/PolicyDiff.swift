internal import Configuration
internal import Format
internal import Policy
internal import Review

extension Command {
  static let policyDiff = Command(
    name: "policy diff",
    summary: "say who gains and loses what from one policy to another",
    usage: """
      Usage: kist policy diff OLD NEW [--json]

      Compares what the policy files in two directories allow, not how they are
      written: who gains and loses which operation with which key, and who keeps it
      on other terms. Grants that were only renamed or moved do not show. A prefix
      stands for the keys below it that no other line of the same caller names.

        --json  answer in JSON

        --users FILE, --groups FILE, --no-accounts
                as for kist policy check

      Exit codes: 0 both allow the same, 1 they do not.

      """,
    options: [.json] + Accounts.options,
    operands: 2...2
  ) { arguments throws(CommandFailure) in
    let accounts = try Accounts(arguments)
    let old = try PolicyDirectory.read(arguments.operands[0], accounts: accounts)
    let new = try PolicyDirectory.read(arguments.operands[1], accounts: accounts)
    let changes = try PolicyChange.all(from: old, to: new)
    arguments.answer(
      ["changes": .array(changes.map(\.json)), "same": .bool(changes.isEmpty)],
      changes.isEmpty ? "both allow the same\n" : PolicyChange.text(changes))
    guard changes.isEmpty else { throw CommandFailure(code: 1) }
  }
}
