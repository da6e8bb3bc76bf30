internal import Configuration
internal import Encoding
internal import Policy
internal import Wire

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
    arguments.answer(.object([.init("grants", .array(policy.rules.map(\.json)))]), policy.canonicalText)
  }
}

extension PolicyDirectory {
  /// The policy in `directory`, or in the usual place.
  static func read(_ directory: String?, accounts: Accounts = .system) throws(CommandFailure) -> Policy {
    do throws(ConfigurationError) {
      return try load(directory ?? UsualPlaces.policy, accounts: accounts)
    } catch {
      throw .misconfigured(error)
    }
  }
}

extension Rule {
  /// Every field, empty or not.
  var json: CanonicalJSON {
    var members: [CanonicalJSON.Member] = [
      .init("approval", .bool(needsApproval)),
      .init("envelope", .array(sealed.fields.map { .string($0.name) })),
      .init("executables", .array(callers.executables.map { .string($0) })),
      .init("groups", .array(callers.groups.map { .integer(Int64($0.id)) })),
      .init("id", .string(id)),
      .init("keys", .array(keys.map { .string($0.description) })),
      .init("operations", .array(operations.map { .string($0.name) })),
      .init("release", .array(releasedNames.map { .string($0) })),
      .init("stages", .bool(showsStage)),
      .init("units", .array(callers.units.map { .string($0) })),
      .init("users", .array(callers.users.map { .integer(Int64($0.id)) })),
    ]
    if let partner { members.append(.init("release_to", .string(partner))) }
    if let rate { members.append(.init("rate", .string(rate.description))) }
    if let quota { members.append(.init("quota", .string(quota.description))) }
    if let keyQuota { members.append(.init("key_quota", .string(keyQuota.description))) }
    if let from = validity.from { members.append(.init("from", .string(from.wholeSeconds))) }
    if let until = validity.until { members.append(.init("until", .string(until.wholeSeconds))) }
    if !validity.hours.isEmpty { members.append(.init("hours", .array(validity.hours.map { .string($0.description) }))) }
    return .object(members)
  }
}
