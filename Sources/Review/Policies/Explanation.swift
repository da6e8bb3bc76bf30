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
  package func ruling(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp) -> Ruling {
    standing(of: caller, opcode, key: label.map { .known(KeyTarget(id: .none, label: $0)) } ?? .none).ruling(at: time)
  }

  /// Reads every rule, so it is slow and meant for people; requests use `standing`.
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
