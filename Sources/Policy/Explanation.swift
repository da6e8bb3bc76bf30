package import Encoding
package import Wire

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

/// One condition that a rule puts on a request.
package enum Condition: String, Hashable, CaseIterable, Sendable {
  case operation, key, user, root, group, unit, executable, time
}

extension Policy {
  /// Reads every rule, so it is slow and meant for people; requests use `decide`.
  package func explain(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp) -> Explanation {
    let judged = rules.map { Explanation.NearMiss(rule: $0, missing: $0.missing(caller, opcode, label: label, at: time)) }
    let ruling = ruling(caller, opcode, label: label, at: time)
    switch ruling {
    case .allowed(let rule):
      let overruled = judged.filter { $0.missing.isEmpty && $0.rule.id != rule.id }.map(\.rule)
      return Explanation(caller: caller, opcode: opcode, label: label, time: time, ruling: ruling, overruled: overruled, nearMisses: [])
    case .denied(let denial):
      let fewest = judged.map(\.missing.count).min()
      let nearest = denial == .overflowIdentity ? [] : judged.filter { $0.missing.count == fewest && $0.isNear }
      return Explanation(caller: caller, opcode: opcode, label: label, time: time, ruling: ruling, overruled: [], nearMisses: nearest)
    }
  }
}

extension Explanation.NearMiss {
  /// Leaves out rules for other operations whose callers do not match either.
  fileprivate var isNear: Bool { !missing.contains(.operation) || missing.count == 1 }
}

extension Rule {
  /// The conditions that the request does not meet; empty if the rule covers it.
  package func missing(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp) -> [Condition] {
    Condition.allCases.filter { !meets($0, caller, opcode, label, time) }
  }

  /// Whether the rule covers this caller at this time, for some operation.
  func covers(_ caller: Caller, at time: Timestamp) -> Bool {
    let conditions: [Condition] = [.user, .root, .group, .unit, .executable, .time]
    return conditions.allSatisfy { meets($0, caller, .ping, nil, time) }
  }

  private func meets(_ condition: Condition, _ caller: Caller, _ opcode: Opcode, _ label: String?, _ time: Timestamp) -> Bool {
    switch condition {
    case .operation: operations.contains(opcode)
    case .key: covers(opcode, label)
    case .user: callers.users.isEmpty || callers.users.contains { $0.id == caller.uid }
    case .root: caller.uid != Principal.root || !callers.users.isEmpty
    case .group: callers.groups.isEmpty || callers.groups.contains { caller.allGroups.contains($0.id) }
    case .unit: admits(callers.units, caller.unit)
    case .executable: admits(callers.executables, caller.executable)
    case .time: validity.contains(time)
    }
  }

  private func admits(_ names: [String], _ name: String?) -> Bool {
    names.isEmpty || names.contains { $0.utf8.elementsEqual(name?.utf8 ?? "".utf8) }
  }

  private func covers(_ opcode: Opcode, _ label: String?) -> Bool {
    guard let label else {
      switch opcode.traits.key {
      case .never, .listing, .optional: return true
      case .required: return false
      }
    }
    return opcode.traits.key.namesKeys && keys.contains { $0.covers(label) }
  }
}
