import Configuration
import Policy

/// Whether the accounts are there that the units and the policy go by, and nobody has two roles.
let accountChecks: [CheckUp.Check] = [
  checkUser, checkGroups, checkRoles, checkServices, checkMembership, checkSubordinates,
]

private let roles = ["kist-operators", "kist-custodians", "kist-approvers", "kist-auditors"]

@Sendable private func checkUser(_ host: Host) -> [Finding] {
  let name = host.unit(Unit.daemon)?.value("User") ?? "kist"
  guard !host.isTrial, host.surroundings.accounts.uid(name) == nil else { return [] }
  return [
    Finding(
      .userMissing, name, "There is no user \(name), which kistd runs as.",
      cure: "Run systemd-sysusers, which makes it.")
  ]
}

@Sendable private func checkGroups(_ host: Host) -> [Finding] {
  let missing = (["kist-clients"] + roles + ["kist-metrics"]).filter {
    host.surroundings.accounts.gid($0) == nil
  }.joined(separator: ", ")
  guard !missing.isEmpty, !host.isTrial else { return [] }
  return [
    Finding(
      .groupMissing, missing,
      "There is no group \(missing), which the sockets and the example policy need.",
      cure: "Run systemd-sysusers, which makes it.")
  ]
}

@Sendable private func checkRoles(_ host: Host) -> [Finding] {
  let accounts = host.surroundings.accounts
  return host.people.compactMap { person in
    let groups = Set(accounts.groups(person) ?? [])
    let held = roles.filter { accounts.gid($0).map(groups.contains) ?? false }
    guard held.count > 1 else { return nil }
    return Finding(
      .twoRoles, person,
      "User \(person) is in \(held.joined(separator: " and ")), so one person can do what needs two.",
      cure: "Take \(person) out of all but one: gpasswd --delete \(person) \(held[0]).")
  }
}

/// Whoever takes over a service has what its user may do: it is in no role, and has no part in the
/// daemon's own files.
@Sendable private func checkServices(_ host: Host) -> [Finding] {
  let accounts = host.surroundings.accounts
  guard let clients = accounts.gid("kist-clients") else { return [] }
  return host.people.flatMap { user -> [Finding] in
    let groups = Set(accounts.groups(user) ?? [])
    guard groups.contains(clients) else { return [] }
    return (roles + ["kist"]).filter { accounts.gid($0).map(groups.contains) ?? false }.map {
      group in
      Finding(
        .serviceInRole, user,
        "The service user \(user) is in \(group), so whoever takes the service over has that, too.",
        cure: "Run gpasswd --delete \(user) \(group).")
    }
  }
}

/// A grant that names users and groups needs both: a person of it who is in none of its groups has
/// nothing.
@Sendable private func checkMembership(_ host: Host) -> [Finding] {
  guard let located = host.grants else { return [] }
  return zip(located.policy.rules, located.places).flatMap { rule, place -> [Finding] in
    let wanted = Set(rule.callers.groups.map(\.id))
    guard !wanted.isEmpty else { return [] }
    return rule.callers.users.compactMap(\.name).compactMap { person in
      guard let groups = host.surroundings.accounts.groups(person), wanted.isDisjoint(with: groups)
      else { return nil }
      let names = rule.callers.groups.map { $0.name ?? String($0.id) }
      return Finding(
        .grantUserOutsideGroup, host.surroundings.shown(place.description),
        "Grant \(rule.id) names \(person), who is in none of its groups, so it gives them nothing.",
        cure:
          "Run usermod --append --groups \(names[0]) \(person), or take \(person) out of the grant."
      )
    }
  }
}

/// kistd goes by the file at each start.
@Sendable private func checkSubordinates(_ host: Host) -> [Finding] {
  let path = SubordinateUsers.path
  do throws(ConfigurationError) {
    _ = try SubordinateUsers.load(
      host.surroundings.root + path, accounts: host.surroundings.accounts)
    return []
  } catch {
    return [
      Finding(
        .subuidUnread, path,
        "\(host.surroundings.shown(error.description)), so kistd does not start.",
        cure: "Let everybody read it, and root alone change it.")
    ]
  }
}

extension Host {
  /// The users whom policy names, once each.
  fileprivate var people: [String] {
    Set((grants?.policy.rules ?? []).flatMap(\.callers.users).compactMap(\.name)).sorted()
  }
}
