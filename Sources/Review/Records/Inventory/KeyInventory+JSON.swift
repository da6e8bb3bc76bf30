package import Format

extension KeyInventory {
  package var json: CanonicalJSON {
    [
      "attention": .array(concerns.map { ["about": .string($0.about), "what": .string($0.text)] }),
      "custodians": .array(custody?.holdings.map(\.json) ?? []), "custody_rule": .string(custody?.rule ?? ""),
      "host": .string(place.host), "keys": .array(keys.map(\.json)), "keys_in_daemon": .integer(Int64(place.keyCount)),
      "made": .string(made.wholeSeconds), "memory": .string(place.memory), "rehearsal": .bool(place.isRehearsal),
      "requirements": .array(requirements.map { ["answer": .string($0.answer), "number": .string($0.number)] }),
      "version": .string(place.version),
    ]
  }
}

extension KeyInventory.Entry {
  fileprivate var json: CanonicalJSON {
    func time(_ moment: Timestamp?) -> CanonicalJSON? { moment.map { .string($0.wholeSeconds) } }
    return [
      "activated": time(activated), "algorithm": .string(algorithm), "created": time(created), "header": .string(header), "id": .string(id),
      "label": .string(label), "last_use": time(lastUse), "not_after": time(notAfter), "not_before": time(notBefore), "owner": .string(owner),
      "role": .string(role), "state": .string(state), "strength": strength.map { .integer(Int64($0)) },
      "use_limit": useLimit.map { .integer(Int64($0)) }, "uses": .integer(Int64(uses)), check.member: .string(check.value),
    ]
  }
}

extension KeyInventory.Check {
  fileprivate var member: String {
    switch self {
    case .kcv: "kcv"
    case .spkiHash: "spki_sha256"
    }
  }
}

extension KeyInventory.Custody.Holding {
  fileprivate var json: CanonicalJSON {
    [
      "custodian": .string(custodian), "group": .integer(Int64(group)), "share": .string(fingerprint), "user": .string(user),
    ]
  }
}
