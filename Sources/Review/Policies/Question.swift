package import Format
package import Policy

/// One request as policy sees it, which every kind of review puts to policies.
package struct Question: Hashable, Sendable {
  package let caller: Caller
  package let opcode: Opcode
  /// The key's label; nil if the request names none. Of a listing, the label of a key that it would show [OP-LIST-1].
  package let label: String?
  package let time: Timestamp

  package init(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp) {
    (self.caller, self.opcode, self.label, self.time) = (caller, opcode, label, time)
  }
}

/// What a policy answers.
package enum Answer: Hashable, Sendable {
  case allowed(grant: String, Terms)
  case denied(Denial)

  package var isAllowed: Bool { if case .allowed = self { true } else { false } }
}

/// What a grant gives besides the right to the operation.
package struct Terms: Hashable, Sendable {
  /// The fields and secrets that the operation may release.
  package let released: [String]
  /// The fields that it seals into an envelope.
  package let sealed: [String]
  /// To whom it releases instead of to the caller, by the label of the key.
  package let partner: String?
  package let showsStage: Bool
  /// Whether each request waits for an operator's approval.
  package let needsApproval: Bool
  package let rate: Rate?
  package let quota, keyQuota: Quota?

  init(_ rule: Rule, _ opcode: Opcode) {
    (released, sealed) = (rule.releasedNames(by: opcode), rule.sealedNames(by: opcode))
    partner = opcode.traits.releases.isOfPayments ? rule.partner : nil
    (showsStage, rate, quota, keyQuota) = (rule.showsStage, rule.rate, rule.quota, rule.keyQuota)
    needsApproval = rule.needsApproval
  }
}

extension Policy {
  /// The policy's decision, without rates and quotas.
  package func answer(_ question: Question) -> Answer {
    switch ruling(question.caller, question.opcode, label: question.label, at: question.time) {
    case .allowed(let rule): .allowed(grant: rule.id, Terms(rule, question.opcode))
    case .denied(let denial): .denied(denial)
    }
  }
}
