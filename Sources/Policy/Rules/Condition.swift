package import Format

/// One condition that a rule puts on a request.
package enum Condition: String, Hashable, CaseIterable, Sendable {
  case operation, key, user, root, group, unit, executable, time
}

extension Rule {
  /// The conditions that the request does not meet; empty if the rule covers it.
  package func missing(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp) -> [Condition] {
    Condition.allCases.filter { !meets($0, caller, opcode, label, time) }
  }

  /// Whether the rule covers the request at some time or other, if it names the key that it may need.
  func covers(_ caller: Caller, _ opcode: Opcode, _ label: String?) -> Bool {
    Condition.allCases.allSatisfy { $0 == .key && label == nil || meets($0, caller, opcode, label, nil) }
  }

  /// Whether the rule covers this caller at this time, for some operation.
  func covers(_ caller: Caller, at time: Timestamp) -> Bool {
    let conditions: [Condition] = [.user, .root, .group, .unit, .executable, .time]
    return conditions.allSatisfy { meets($0, caller, .ping, nil, time) }
  }

  private func meets(_ condition: Condition, _ caller: Caller, _ opcode: Opcode, _ label: String?, _ time: Timestamp?) -> Bool {
    switch condition {
    case .operation: operations.contains(opcode)
    case .key: covers(opcode, label)
    case .user: callers.users.isEmpty || callers.users.contains { $0.id == caller.uid }
    case .root: caller.uid != Principal.root || !callers.users.isEmpty
    case .group: callers.groups.isEmpty || callers.groups.contains { caller.allGroups.contains($0.id) }
    case .unit: admits(callers.units, caller.unit)
    case .executable: admits(callers.executables, caller.executable)
    case .time: time.map(validity.contains) ?? true
    }
  }

  private func admits(_ names: [String], _ name: String?) -> Bool {
    names.isEmpty || names.contains { $0.utf8.elementsEqual(name?.utf8 ?? "".utf8) }
  }

  private func covers(_ opcode: Opcode, _ label: String?) -> Bool {
    guard let label else {
      switch opcode.traits.key {
      case .never, .covered, .optional: return true
      case .required: return false
      }
    }
    return opcode.traits.key.namesKeys && keys.contains { $0.covers(label) }
  }
}

extension Policy {
  /// The rules that cover this caller at this time, in deciding order.
  package func rules(for caller: Caller, at time: Timestamp) -> [Rule] {
    guard !caller.isOverflow else { return [] }
    return rules.filter { $0.covers(caller, at: time) }
  }
}
