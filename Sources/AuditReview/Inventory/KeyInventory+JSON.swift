package import Encoding

extension KeyInventory {
  package var json: CanonicalJSON {
    .object([
      .init("attention", .array(concerns.map { .object([.init("about", .string($0.about)), .init("what", .string($0.text))]) })),
      .init("custodians", .array(custody?.holdings.map(\.json) ?? [])), .init("custody_rule", .string(custody?.rule ?? "")),
      .init("host", .string(place.host)), .init("keys", .array(keys.map(\.json))), .init("keys_in_daemon", .integer(Int64(place.keyCount))),
      .init("made", .string(made.wholeSeconds)), .init("memory", .string(place.memory)), .init("rehearsal", .bool(place.isRehearsal)),
      .init("requirements", .array(requirements.map { .object([.init("answer", .string($0.answer)), .init("number", .string($0.number))]) })),
      .init("version", .string(place.version)),
    ])
  }
}

extension KeyInventory.Entry {
  fileprivate var json: CanonicalJSON {
    var members: [CanonicalJSON.Member] = [
      .init("algorithm", .string(algorithm)), .init("header", .string(header)), .init("id", .string(id)), .init("label", .string(label)),
      .init("owner", .string(owner)), .init("role", .string(role)), .init("state", .string(state)), .init("uses", .integer(Int64(uses))), check.member,
    ]
    if let strength { members.append(.init("strength", .integer(Int64(strength)))) }
    if let useLimit { members.append(.init("use_limit", .integer(Int64(useLimit)))) }
    let moments = [("activated", activated), ("created", created), ("last_use", lastUse), ("not_after", notAfter), ("not_before", notBefore)]
    for (name, moment) in moments {
      if let moment { members.append(.init(name, .string(moment.wholeSeconds))) }
    }
    return .object(members)
  }
}

extension KeyInventory.Check {
  fileprivate var member: CanonicalJSON.Member {
    switch self {
    case .kcv(let digits): .init("kcv", .string(digits))
    case .spkiHash(let digits): .init("spki_sha256", .string(digits))
    }
  }
}

extension KeyInventory.Custody.Holding {
  fileprivate var json: CanonicalJSON {
    .object([
      .init("custodian", .string(custodian)), .init("group", .integer(Int64(group))), .init("share", .string(fingerprint)), .init("user", .string(user)),
    ])
  }
}
