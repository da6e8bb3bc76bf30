package import Format
package import Policy

/// One request as policy sees it, which every kind of review puts to policies.
package struct Question: Hashable, Sendable {
  package let caller: Caller
  package let opcode: Opcode
  /// The key's label; nil if the request names none. Of a listing, the label of a key that it would
  /// show [OP-LIST-1].
  package let label: String?
  package let time: Timestamp

  package init(_ caller: Caller, _ opcode: Opcode, label: String?, at time: Timestamp) {
    self.caller = caller
    self.opcode = opcode
    self.label = label
    self.time = time
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
    released = rule.releasedNames(by: opcode)
    sealed = rule.sealedNames(by: opcode)
    partner = opcode.traits.releases.isOfPayments ? rule.partner : nil
    showsStage = rule.showsStage
    rate = rule.rate
    quota = rule.quota
    keyQuota = rule.keyQuota
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

extension Terms {
  /// How these differ from other terms; empty if they do not.
  package func words(insteadOf old: Terms) -> [String] {
    var words: [String] = []
    words +=
      Self.fields("releases", released, old.released) + Self.fields("seals", sealed, old.sealed)
    if partner != old.partner {
      words.append(
        "releases to \(partner ?? "the caller") instead of \(old.partner ?? "the caller")")
    }
    if showsStage != old.showsStage {
      words.append(showsStage ? "shows stages" : "no longer shows stages")
    }
    if needsApproval != old.needsApproval {
      words.append(needsApproval ? "needs an approval" : "needs no approval any more")
    }
    words += Self.limit("rate", rate?.description, old.rate?.description)
    words += Self.limit("quota", quota?.description, old.quota?.description)
    words += Self.limit("key quota", keyQuota?.description, old.keyQuota?.description)
    return words
  }

  private static func fields(_ verb: String, _ new: [String], _ old: [String]) -> [String] {
    let gained = new.filter { !old.contains($0) }
    let lost = old.filter { !new.contains($0) }
    return (gained.isEmpty ? [] : ["\(verb) \(gained.joined(separator: ", ")) too"])
      + (lost.isEmpty ? [] : ["no longer \(verb) \(lost.joined(separator: ", "))"])
  }

  private static func limit(_ name: String, _ new: String?, _ old: String?) -> [String] {
    guard new != old else { return [] }
    return ["\(name) \(new ?? "unlimited") instead of \(old ?? "unlimited")"]
  }

  /// What they give to a caller that had nothing.
  package var words: [String] {
    (released.isEmpty ? [] : ["releases \(released.joined(separator: ", "))"])
      + (sealed.isEmpty ? [] : ["seals \(sealed.joined(separator: ", "))"])
      + (partner.map { ["to \($0)"] } ?? [])
      + (showsStage ? ["shows stages"] : [])
      + (needsApproval ? ["needs an approval"] : [])
      + [
        rate.map { "rate \($0)" }, quota.map { "quota \($0)" }, keyQuota.map { "key quota \($0)" },
      ].compactMap { $0 }
  }
}

extension Rule {
  /// The names of what it releases from this operation.
  package func releasedNames(by opcode: Opcode) -> [String] {
    released.intersection(opcode.releasable).fields.map(\.name)
      + secrets.secrets.filter { $0.opcode == opcode }.map(\.name)
  }

  /// The names of what this operation seals into the envelope that it releases.
  package func sealedNames(by opcode: Opcode) -> [String] {
    opcode.traits.releases == .tokenFields ? sealed.fields.map(\.name) : []
  }
}
