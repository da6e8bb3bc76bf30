package import Format

/// One `[[grant]]` of the policy files: these callers may do these operations with these keys.
package struct Rule: Hashable, Sendable {
  package let id: String
  package let callers: CallerRule
  /// In ascending order of opcode.
  package let operations: [Opcode]
  package let keys: [KeyPattern]
  package let released: ReleasedFields
  /// The fields that an opening seals into the `envelope` that it releases.
  package let sealed: ReleasedFields
  /// The label of the partner's key under which alone the released fields leave; nil if they go to
  /// the caller.
  package let partner: String?
  package let secrets: ReleasedSecrets
  package let showsStage: Bool
  package let rate: Rate?
  /// The quota of each user, and the quota of each key for all users together.
  package let quota, keyQuota: Quota?
  package let validity: Validity
  /// Whether each request needs an operator's approval.
  package let needsApproval: Bool

  /// - Throws: the first `RuleFlaw` that makes the rule meaningless or wider than its author can
  ///   have meant.
  package init(
    id: String, callers: CallerRule, operations: Set<Opcode>, keys: [KeyPattern] = [],
    released: ReleasedFields = [], sealed: ReleasedFields = [],
    partner: String? = nil, secrets: ReleasedSecrets = [], showsStage: Bool = false,
    rate: Rate? = nil,
    quota: Quota? = nil, keyQuota: Quota? = nil, validity: Validity = .always,
    needsApproval: Bool = false
  ) throws(RuleFlaw) {
    guard Self.isIdentifier(id) else { throw .badIdentifier }
    guard callers.namesAccounts else { throw .noAccounts }
    guard callers.users.allSatisfy(\.namesSomebody) else { throw .overflowUser }
    guard callers.groups.allSatisfy(\.namesSomebody) else { throw .overflowGroup }
    guard callers.units.allSatisfy(CallerRule.isUnit) else { throw .badUnit }
    guard callers.executables.allSatisfy({ $0.hasPrefix("/") && CallerRule.isPlainName($0) }) else {
      throw .badExecutable
    }
    guard !operations.isEmpty else { throw .noOperations }
    let sorted = operations.sorted { $0.rawValue < $1.rawValue }
    if let free = sorted.first(where: { !$0.traits.needsGrant }) { throw .freeOperation(free) }
    if keys.isEmpty, let needing = sorted.first(where: \.keyUse.needsKeys) {
      throw .keysMissing(needing)
    }
    if !keys.isEmpty, !sorted.contains(where: \.keyUse.namesKeys) { throw .keysUnused }
    guard released.isSubset(of: operations.reduce(into: []) { $0.formUnion($1.releasable) }) else {
      throw .releaseUnused
    }
    guard sealed.isSubset(of: .sealable) else { throw .notSealable }
    guard released.contains(.envelope) != sealed.isEmpty else {
      throw sealed.isEmpty ? .sealedMissing : .sealedUnused
    }
    if partner != nil { try Self.checkPartner(released, sorted) }
    if operations.contains(where: { $0.traits.releases == .panAlone }), !released.contains(.dpan) {
      throw .releaseMissing
    }
    guard secrets.secrets.allSatisfy({ operations.contains($0.opcode) }) else {
      throw .releaseUnused
    }
    guard keyQuota == nil || sorted.contains(where: \.keyUse.namesKeys) else {
      throw .keyQuotaUnused
    }
    if rate == nil, quota == nil, let needing = sorted.first(where: \.traits.needsLimit) {
      throw .limitMissing(needing)
    }
    guard !needsApproval || sorted.contains(where: { $0.traits.approval != .never }) else {
      throw .approvalUnused
    }
    guard !validity.isEmpty else { throw .neverInForce }
    self.id = id
    self.callers = callers
    self.operations = sorted
    self.keys = keys
    self.released = released
    self.sealed = sealed
    self.partner = partner
    self.secrets = secrets
    self.showsStage = showsStage
    self.rate = rate
    self.quota = quota
    self.keyQuota = keyQuota
    self.validity = validity
    self.needsApproval = needsApproval
  }

  /// Checks that everything which the rule releases can be in a JWE [OP-PARTNER-2].
  private static func checkPartner(_ released: ReleasedFields, _ operations: [Opcode])
    throws(RuleFlaw)
  {
    guard !released.isEmpty else { throw .partnerWithoutFields }
    guard released.isSubset(of: .sealable) else { throw .partnerFields }
    if let other = operations.first(where: {
      $0.traits.releases != .nothing && !$0.traits.releases.isOfPayments
    }) {
      throw .partnerUnserved(other)
    }
  }

  /// The names of everything that it releases: fields, then secrets.
  package var releasedNames: [String] { released.fields.map(\.name) + secrets.secrets.map(\.name) }

  private static func isIdentifier(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}

/// What is wrong with a rule.
package enum RuleFlaw: Error, Hashable {
  case badIdentifier
  /// The rule names neither users nor groups.
  case noAccounts
  /// The overflow id stands for everybody in a foreign user namespace.
  case overflowUser, overflowGroup
  case badUnit, badExecutable
  case noOperations
  /// The operation needs no grant.
  case freeOperation(Opcode)
  /// The operation needs keys, but the rule names none.
  case keysMissing(Opcode)
  /// The rule names keys, or fields and secrets to release, that none of its operations uses.
  case keysUnused, releaseUnused
  /// The rule releases an envelope without a field in it, or names fields for an envelope that it
  /// does not release.
  case sealedMissing, sealedUnused
  /// No envelope holds one of these fields.
  case notSealable
  /// The rule releases nothing to the partner that it names, something that no JWE holds, or by an
  /// operation that makes none.
  case partnerWithoutFields, partnerFields
  case partnerUnserved(Opcode)
  /// The rule has a quota for keys, but none of its operations uses keys.
  case keyQuotaUnused
  /// The operation lets callers guess values, but the rule has neither a rate nor a quota.
  case limitMissing(Opcode)
  /// None of the rule's operations can wait for an approval.
  case approvalUnused
  /// The rule's validity ends before it begins.
  case neverInForce
  /// The operation only releases a PAN, but the rule does not release it.
  case releaseMissing
}

/// One condition that a rule puts on a request.
package enum Condition: String, Hashable, CaseIterable, Sendable {
  case operation, key, user, root, group, unit, executable, time
}

extension Rule {
  /// The conditions that the request does not meet; empty if the rule covers it.
  package func missing(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp)
    -> [Condition]
  {
    Condition.allCases.filter { !meets($0, caller, opcode, label, time) }
  }

  /// Whether the rule covers the request at some time or other, if it names the key that it may
  /// need.
  func covers(_ caller: Caller, _ opcode: Opcode, _ label: String?) -> Bool {
    Condition.allCases.allSatisfy {
      $0 == .key && label == nil || meets($0, caller, opcode, label, nil)
    }
  }

  /// Whether the rule covers this caller at this time, for some operation.
  func covers(_ caller: Caller, at time: Timestamp) -> Bool {
    let conditions: [Condition] = [.user, .root, .group, .unit, .executable, .time]
    return conditions.allSatisfy { meets($0, caller, .ping, nil, time) }
  }

  private func meets(
    _ condition: Condition, _ caller: Caller, _ opcode: Opcode, _ label: String?, _ time: Timestamp?
  ) -> Bool {
    switch condition {
    case .operation: operations.contains(opcode)
    case .key: covers(opcode, label)
    case .user: callers.users.isEmpty || callers.users.contains { $0.id == caller.uid }
    case .root: caller.uid != Principal.root || !callers.users.isEmpty
    case .group:
      callers.groups.isEmpty || callers.groups.contains { caller.allGroups.contains($0.id) }
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
      switch opcode.keyUse {
      case .never, .covered, .optional: return true
      case .required: return false
      }
    }
    return opcode.keyUse.namesKeys && keys.contains { $0.covers(label) }
  }
}

extension Policy {
  /// The rules that cover this caller at this time, in deciding order.
  package func rules(for caller: Caller, at time: Timestamp) -> [Rule] {
    guard !caller.isOverflow else { return [] }
    return rules.filter { $0.covers(caller, at: time) }
  }
}
