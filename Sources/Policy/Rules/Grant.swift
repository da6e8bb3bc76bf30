package import Format

/// Proof that policy let `caller` do `opcode` with `key`, once.
///
/// Only `CoveringRules.decide` makes one. It cannot be copied, so it is used at most once.
package struct Grant: ~Copyable, Sendable {
  /// The rule and the caller whom it covers; the same object for grants of one `CoveringRules`
  /// under one rule.
  package let covering: CoveringRule
  package let opcode: Opcode
  /// The key the grant is for; nil for an operation without one.
  package let key: KeyID?

  /// What was taken of quotas, which is neither kept nor given back yet.
  package let uses: [QuotaCounter.Use]

  init(_ covering: CoveringRule, _ opcode: Opcode, _ key: KeyID?, _ uses: [QuotaCounter.Use]) {
    self.covering = covering
    self.opcode = opcode
    self.key = key
    self.uses = uses
  }

  /// The id of the deciding grant in the policy files.
  package var id: String { covering.rule.id }
  package var caller: Caller { covering.caller }
  /// The keys that the grant names.
  package var keys: [KeyPattern] { covering.rule.keys }
  /// The fields of an opened token that may be released.
  package var released: ReleasedFields { covering.rule.released }
  /// The fields that are sealed into the envelope, if that may be released.
  package var sealed: ReleasedFields { covering.rule.sealed }
  /// The label of the key of the partner who gets what is released, instead of the caller.
  package var partner: String? { covering.rule.partner }
  /// The secrets of primitives that may be released.
  package var secrets: ReleasedSecrets { covering.rule.secrets }
  /// Whether the caller may learn at which stage it was rejected.
  package var showsStage: Bool { covering.rule.showsStage }
  /// Whether a second person must approve the request before it runs.
  package var needsApproval: Bool { covering.rule.needsApproval }
  /// The first of the grant's groups that the caller is in, and the caller's unit, where the grant
  /// states any.
  package var group: Principal? { covering.group }
  package var unit: String? { covering.unit }

  /// Whether the grant's keys include the one with this label.
  package func covers(_ label: String) -> Bool { keys.contains { $0.covers(label) } }
}

/// Proof that policy would let a caller do `opcode` with `key` now, though nothing of rate and
/// quota is taken yet: to look at a request before it is decided.
///
/// Only `CoveringRules.outlook` makes one.
package struct Outlook: ~Copyable, Sendable {
  /// The id of the rule that would decide.
  package let grant: String
  package let opcode: Opcode
  /// Nil for an operation without one.
  package let key: KeyID?

  init(_ grant: String, _ opcode: Opcode, _ key: KeyID?) {
    self.grant = grant
    self.opcode = opcode
    self.key = key
  }
}

/// A rule that covers a caller, and by which of the caller's groups and unit it does: what all
/// grants under it share.
package final class CoveringRule: Sendable {
  let rule: Rule
  let caller: Caller
  /// The first of the rule's groups that the caller is in, and the caller's unit, where the rule
  /// states any.
  let group: Principal?
  let unit: String?

  init(_ rule: Rule, _ caller: Caller) {
    self.rule = rule
    self.caller = caller
    let own = caller.allGroups
    group = rule.callers.groups.first { own.contains($0.id) }
    unit = rule.callers.units.isEmpty ? nil : caller.unit
  }
}

/// What policy decides about one request.
package enum Decision: ~Copyable, Sendable {
  case allow(Grant)
  case deny(Denial)
}

/// Why a request was denied: recorded in the audit log, but not told to the caller.
package enum Denial: Error, Hashable {
  /// No grant covers this caller, operation and key together.
  case noGrant
  /// The caller's user or group id is the overflow id of a foreign user namespace.
  case overflowIdentity
  /// There is no such key, or its kind or state does not fit the operation.
  case unknownKey
  /// The operation is only for the operators' socket.
  case wrongSocket
  /// A subordinate uid (/etc/subuid) on the operators' socket, where everybody must use their own
  /// account.
  case subordinateUser
  /// The grant's rate is exceeded.
  case rate(grant: String)
  /// The grant's quota for the user or for the key is used up.
  case quota(grant: String)

  /// The name in audit records.
  package var name: String {
    switch self {
    case .noGrant: "no-grant"
    case .overflowIdentity: "overflow-identity"
    case .unknownKey: "unknown-key"
    case .wrongSocket: "wrong-socket"
    case .subordinateUser: "subordinate-user"
    case .rate: "rate"
    case .quota: "quota"
    }
  }

  /// The names of all reasons.
  package static let reasons = [
    noGrant, overflowIdentity, unknownKey, wrongSocket, subordinateUser, rate(grant: ""),
    quota(grant: ""),
  ].map(\.name)

  /// The grant that covered the request but had nothing left.
  package var grant: String? {
    switch self {
    case .rate(let grant), .quota(let grant): grant
    case .noGrant, .overflowIdentity, .unknownKey, .wrongSocket, .subordinateUser: nil
    }
  }
}

/// The key a request is about, as policy sees it.
package struct KeyTarget: Hashable, Sendable {
  package let id: KeyID
  /// Such as `merchant/acme/processing-2026`.
  package let label: String

  package init(id: KeyID, label: String) {
    self.id = id
    self.label = label
  }
}

/// The key that a request names, if any.
package enum NamedKey: Hashable, Sendable {
  case none
  /// A key that does not exist.
  case absent
  case known(KeyTarget)

  package var target: KeyTarget? { if case .known(let target) = self { target } else { nil } }

  /// The label that policy looks up. An absent key gets one of the usual shape that no key can
  /// have, so that both cost the same time.
  var label: String? {
    switch self {
    case .none: nil
    case .absent: "absent?/absent?/absent?"
    case .known(let target): target.label
    }
  }
}
