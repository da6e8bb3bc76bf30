package import Format
package import Policy

/// Why a request would be allowed or denied at some time, leaving rates and quotas aside.
package struct Explanation: Sendable {
  /// A rule and the conditions that the request does not meet.
  package struct NearMiss: Hashable, Sendable {
    package let rule: Rule
    /// Never empty.
    package let missing: [Condition]
  }

  package let caller: Caller
  package let opcode: Opcode
  package let label: String?
  package let time: Timestamp
  package let ruling: Ruling
  /// If allowed: later rules that also cover the request and therefore have no effect.
  package let overruled: [Rule]
  /// If denied: the rules with the fewest unmet conditions, in order.
  package let nearMisses: [NearMiss]
}

extension Policy {
  /// The rule that decides, leaving rates and quotas aside.
  package func ruling(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp)
    -> Ruling
  {
    covering(
      caller, opcode, key: label.map { .known(KeyTarget(id: .none, label: $0)) } ?? .none
    ).ruling(at: time)
  }

  /// Reads every rule, so it is slow and meant for people; requests use `covering`.
  package func explain(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp)
    -> Explanation
  {
    let judged = rules.map {
      Explanation.NearMiss(rule: $0, missing: $0.missing(caller, opcode, label: label, at: time))
    }
    let ruling = ruling(caller, opcode, label: label, at: time)
    switch ruling {
    case .allowed(let rule):
      let overruled = judged.filter { $0.missing.isEmpty && $0.rule.id != rule.id }.map(\.rule)
      return Explanation(
        caller: caller, opcode: opcode, label: label, time: time, ruling: ruling,
        overruled: overruled, nearMisses: [])
    case .denied(let denial):
      let fewest = judged.map(\.missing.count).min()
      let nearest =
        denial == .overflowIdentity ? [] : judged.filter { $0.missing.count == fewest && $0.isNear }
      return Explanation(
        caller: caller, opcode: opcode, label: label, time: time, ruling: ruling, overruled: [],
        nearMisses: nearest)
    }
  }
}

extension Explanation.NearMiss {
  /// Leaves out rules for other operations whose callers do not match either.
  fileprivate var isNear: Bool { !missing.contains(.operation) || missing.count == 1 }
}

extension Explanation {
  /// One sentence about the outcome.
  package var summary: String {
    switch ruling {
    case .allowed(let rule): "allowed by grant \(rule.id)"
    case .denied(let denial): "denied: \(denial.sentence)"
    }
  }

  /// What `rule` asks for in a condition that the request does not meet.
  package func sentence(_ condition: Condition, of rule: Rule) -> String {
    switch condition {
    case .operation: "operation \(opcode.name) is not among \(rule.operations.map(\.name).listed)"
    case .key: keySentence(rule)
    case .group where caller.owner != nil:
      "user \(caller.uid) is a subordinate uid of \(caller.person), which no group covers"
    case .user: "user \(caller.uid) is not among \(rule.callers.users.map(\.description).listed)"
    case .root: "root is covered only if users names it"
    case .group:
      "none of groups \(caller.allGroups.map(\.description).listed) is among \(rule.callers.groups.map(\.description).listed)"
    case .unit:
      "\(caller.unit.map { "unit \($0)" } ?? "no unit") is not among \(rule.callers.units.listed)"
    case .executable:
      "\(caller.executable.map { "executable \($0)" } ?? "no executable") is not among \(rule.callers.executables.listed)"
    case .time: "it is not in force at \(time.wholeSeconds), but \(rule.validity)"
    }
  }

  private func keySentence(_ rule: Rule) -> String {
    guard let label else { return "operation \(opcode.name) needs a key, and none is named" }
    guard opcode.keyUse.namesKeys else { return "operation \(opcode.name) takes no key" }
    return
      "key \(label) is not covered by \(rule.keys.isEmpty ? "any, for none is named" : rule.keys.map(\.description).listed)"
  }
}

extension Denial {
  /// For operators; the caller learns only the denial.
  package var sentence: String {
    switch self {
    case .noGrant: "no grant covers this caller, operation and key together"
    case .overflowIdentity:
      "the caller's user or group is \(Principal.overflow), the overflow id of a foreign user namespace"
    case .unknownKey: "the operation needs a key, and there is no such key"
    case .wrongSocket: "the operation belongs to the operators' socket"
    case .subordinateUser: "a subordinate uid has no place on the operators' socket"
    case .rate(let grant): "the rate of grant \(grant) is used up"
    case .quota(let grant): "the quota of grant \(grant) is used up"
    }
  }
}

extension [String] {
  fileprivate var listed: String { joined(separator: ", ") }
}
