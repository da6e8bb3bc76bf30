import Configuration
import Format
import Policy
import Review

extension Command {
  static let policyExplain = Command(
    name: "policy explain",
    summary: "say which grant decides a request, or what is missing",
    usage: """
      Usage: kist policy explain --user USER --op OPERATION [OPTIONS]

      Names the grant that decides a request, or the grants that come nearest to
      covering it and what each of them lacks. It ignores rates and quotas.

        --user USER        the caller's user, by name or number
        --group GROUP      a group of the caller, first its primary group; may be
                           repeated (default: the user's own groups)
        --unit UNIT        the caller's systemd unit
        --executable PATH  the caller's executable
        --op OPERATION     such as open-payment-token
        --key LABEL        the key the request names
        --at TIME          the time of the request (default: now), such as
                           2026-11-20T09:30:00Z
        --dir DIR          the policy files (default /etc/kist/policy.d)
        --json             answer in JSON

      Exit codes: 0 it is allowed, 1 it is denied.

      Example:
        kist policy explain --user acme --op open-payment-token \\
          --key merchant/acme/processing-2026

      """,
    options: [
      "user", .values("group"), "unit", "executable", "op",
      "key", "at", "dir", .json,
    ]
  ) { arguments throws(CommandFailure) in
    let name = try arguments.required("op")
    guard let opcode = Opcode(name: name) else {
      throw .usage(
        "unknown operation '\(name)'; there are \(Opcode.allCases.map(\.name).joined(separator: ", "))"
      )
    }
    let caller = try Caller(arguments, .system)
    let policy = try PolicyDirectory.read(arguments.value("dir"))
    guard opcode.traits.needsGrant else {
      Output.write(
        arguments.has("json") ? "{\"allowed\":true}\n" : "allowed: \(name) needs no grant\n")
      return
    }
    let explanation = policy.explain(
      caller, opcode, label: arguments.value("key"), at: try arguments.moment() ?? .now)
    arguments.answer(explanation.json, explanation.text)
    guard case .allowed = explanation.ruling else { throw CommandFailure(code: 1) }
  }
}

extension Caller {
  fileprivate init(_ arguments: Arguments, _ accounts: Accounts) throws(CommandFailure) {
    let user = try arguments.required("user")
    guard let uid = UInt32(user) ?? accounts.uid(user) else {
      throw .failed("unknown user '\(user)'")
    }
    var groups: [UInt32] = []
    for group in arguments.all("group") {
      guard let gid = UInt32(group) ?? accounts.gid(group) else {
        throw .failed("unknown group '\(group)'")
      }
      groups.append(gid)
    }
    if groups.isEmpty { groups = accounts.groups(user) ?? [] }
    guard let primary = groups.first else {
      throw .usage("the groups of user \(user) are not known; name them with --group")
    }
    let owner: UInt32?
    switch try SubordinateUsers.read(accounts).ownership(of: uid) {
    case .account: owner = nil
    case .subordinate(of: let account): owner = account
    case .disputed:
      throw .failed(
        "user \(uid) belongs to several accounts in \(SubordinateUsers.path); the daemon closes its connections"
      )
    }
    self.init(
      uid: uid, gid: primary, groups: Array(groups.dropFirst()), pid: 0,
      unit: arguments.value("unit"),
      executable: arguments.value("executable"), owner: owner)
  }
}

extension SubordinateUsers {
  fileprivate static func read(_ accounts: Accounts) throws(CommandFailure) -> SubordinateUsers {
    try onConfiguration(load(accounts: accounts))
  }
}

extension Explanation {
  fileprivate var text: String {
    var lines = [summary]
    switch ruling {
    case .allowed(let rule):
      let released = rule.releasedNames(by: opcode).joined(separator: ", ")
      if [.tokenFields, .sealedFields, .secret].contains(opcode.traits.releases)
        || !released.isEmpty
      {
        lines.append(
          "  releases \(released.isEmpty ? "nothing" : released)"
            + (rule.partner.map { ", to \($0) alone" } ?? ""))
      }
      let sealed = rule.sealedNames(by: opcode).joined(separator: ", ")
      if !sealed.isEmpty { lines.append("  seals \(sealed) into the envelope") }
      if rule.showsStage { lines.append("  shows the stage of a rejection") }
      if rule.needsApproval, opcode.traits.approval != .never {
        lines.append("  waits for an operator's approval, each time")
      }
      if let rate = rule.rate { lines.append("  up to \(rate) for each user") }
      if let quota = rule.quota { lines.append("  up to \(quota) for each user") }
      if let quota = rule.keyQuota { lines.append("  up to \(quota) for each key") }
      if !rule.validity.isAlways { lines.append("  in force \(rule.validity)") }
      for later in overruled {
        lines.append("  comes before grant \(later.id), which would cover it too")
      }
    case .denied:
      for miss in nearMisses {
        lines.append("  grant \(miss.rule.id):")
        for condition in miss.missing { lines.append("    \(sentence(condition, of: miss.rule))") }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  fileprivate var json: CanonicalJSON {
    switch ruling {
    case .allowed(let rule):
      return [
        "allowed": true, "grant": rule.json, "overruled": overruled.map(\.id),
      ]
    case .denied(let denial):
      return [
        "allowed": false, "denial": denial.name,
        "nearest": nearMisses.map {
          ["grant": $0.rule.id, "lacks": $0.missing.map(\.rawValue)] as CanonicalJSON
        },
      ]
    }
  }
}
