import Configuration
import Crypto
import Format
import Policy

extension Command {
  static let policyShow = Command(
    name: "policy show",
    summary: "print the policy in its canonical form",
    usage: """
      Usage: kist policy show [--json] [DIR]

      Prints the policy of the files in DIR (default /etc/kist/policy.d) in canonical
      form: grants in the order in which they decide, names as numbers, lists sorted.
      Equal policies print equally, so you can review changes with diff.

        --json  answer in JSON

      """,
    options: [.json],
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    let policy = try PolicyDirectory.read(arguments.operands.first)
    arguments.answer(["grants": policy.rules.map(\.json)], policy.canonicalText)
  }
}

extension PolicyDirectory {
  /// The policy in `directory`, or in the usual place.
  static func read(_ directory: String?, accounts: Accounts = .system) throws(CommandFailure)
    -> Policy
  {
    try onConfiguration(load(directory ?? UsualPlaces.policy, accounts: accounts))
  }
}

extension Rule {
  /// Every field, empty or not.
  var json: CanonicalJSON {
    [
      "approval": needsApproval, "envelope": sealed.fields.map(\.name),
      "executables": callers.executables, "groups": callers.groups.map(\.id), "id": id,
      "keys": keys.map(\.description), "operations": operations.map(\.name),
      "release": releasedNames, "stages": showsStage, "units": callers.units,
      "users": callers.users.map(\.id), "release_to": partner, "rate": rate?.description,
      "quota": quota?.description, "key_quota": keyQuota?.description,
      "from": validity.from?.wholeSeconds, "until": validity.until?.wholeSeconds,
      "hours": !validity.hours.isEmpty
        ? validity.hours.map(\.description) : nil,
    ]
  }
}

extension Policy {
  /// Identifies the policy in the audit log, in a ceremony's file and for a swap: SHA-256 of its
  /// canonical text.
  var digest: Digest256 { SHA256.hash(Array(canonicalText.utf8)) }
}
