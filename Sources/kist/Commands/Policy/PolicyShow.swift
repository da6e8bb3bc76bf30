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
    arguments.answer(["grants": .array(policy.rules.map(\.json))], policy.canonicalText)
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
      "approval": .bool(needsApproval),
      "envelope": .array(sealed.fields.map { .string($0.name) }),
      "executables": .array(callers.executables.map { .string($0) }),
      "groups": .array(callers.groups.map { .count($0.id) }),
      "id": .string(id),
      "keys": .array(keys.map { .string($0.description) }),
      "operations": .array(operations.map { .string($0.name) }),
      "release": .array(releasedNames.map { .string($0) }),
      "stages": .bool(showsStage),
      "units": .array(callers.units.map { .string($0) }),
      "users": .array(callers.users.map { .count($0.id) }),
      "release_to": partner.map { .string($0) }, "rate": rate.map { .string($0.description) },
      "quota": quota.map { .string($0.description) },
      "key_quota": keyQuota.map { .string($0.description) },
      "from": validity.from.map { .string($0.wholeSeconds) },
      "until": validity.until.map { .string($0.wholeSeconds) },
      "hours": !validity.hours.isEmpty
        ? .array(validity.hours.map { .string($0.description) }) : nil,
    ]
  }
}

extension Policy {
  /// Identifies the policy in the audit log, in a ceremony's file and for a swap: SHA-256 of its
  /// canonical text.
  var digest: Digest256 { SHA256.hash(Array(canonicalText.utf8)) }
}
