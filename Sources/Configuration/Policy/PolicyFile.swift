import Format
import Policy

/// One file of `policy.d`: the `[[grant]]` tables in their order.
enum PolicyFile {
  /// A rule and the place of its id, for the error about a second use of the id.
  struct Located {
    let rule: Rule
    let id: TOMLNode
  }

  /// The valid grants of a file; errors in the others are added to `mistakes`, in the order of the
  /// file.
  static func decode(_ text: [UInt8], file: String, accounts: Accounts, _ mistakes: inout Mistakes)
    -> [Located]
  {
    var found = Mistakes()
    var located: [Located] = []
    if let root = found.attempt(try TOMLDocument.root(text, file: file)) {
      let grants = found.attempt(try root.elements("grant")) ?? []
      found.add(root.unknownKeys)
      for node in grants {
        guard let table = found.attempt(try node.table()) else { continue }
        if let rule = GrantTable(table, accounts, &found)?.rule(&found) { located.append(rule) }
      }
    }
    mistakes.add(found.all.sorted { ($0.position ?? .start) < ($1.position ?? .start) })
    return located
  }
}

extension SourcePosition {
  fileprivate static let start = SourcePosition(line: 1, column: 1)
}

/// A `[[grant]]` with the nodes of its values, so that a flaw of the rule is reported at the key
/// that it concerns.
private struct GrantTable {
  let table: TOMLTable
  let id: TOMLNode
  let callers: CallerRule
  let operations: Set<Opcode>
  let keys: [KeyPattern]
  let released: [String]
  let sealed: [ReleasedField]
  let partner: String?
  let showsStage, needsApproval: Bool
  let rate: Rate?
  let quota, keyQuota: Quota?
  let validity: Validity

  /// nil if anything in it is a mistake.
  init?(_ table: TOMLTable, _ accounts: Accounts, _ mistakes: inout Mistakes) {
    let before = mistakes.all.count
    self.table = table
    callers = CallerRule(
      users: table.list("users", "users", &mistakes) { node throws(ConfigurationError) in
        try node.user(accounts)
      },
      groups: table.list("groups", "groups", &mistakes) { node throws(ConfigurationError) in
        try node.group(accounts)
      },
      units: table.list("units", "systemd units", &mistakes) { node throws(ConfigurationError) in
        try node.string()
      },
      executables: table.list("executables", "absolute paths", &mistakes) {
        node throws(ConfigurationError) in try node.path()
      })
    operations = Set(
      table.list("operations", "operations", &mistakes) { node throws(ConfigurationError) in
        try node.operation()
      })
    keys = table.list("keys", "key labels", &mistakes) { node throws(ConfigurationError) in
      try node.keyPattern()
    }
    released = table.list("release", "fields", &mistakes) { node throws(ConfigurationError) in
      try node.release()
    }
    sealed = table.list("envelope", "fields", &mistakes) { node throws(ConfigurationError) in
      try node.sealable()
    }
    partner = mistakes.attempt(try table.optional("release_to")?.keyLabel())
    showsStage = mistakes.attempt(try table.optional("stages")?.boolean()) ?? false
    needsApproval = mistakes.attempt(try table.optional("approval")?.boolean()) ?? false
    rate = mistakes.attempt(try table.optional("rate")?.rate())
    quota = mistakes.attempt(try table.optional("quota")?.quota())
    keyQuota = mistakes.attempt(try table.optional("key_quota")?.quota())
    validity = Validity(
      from: mistakes.attempt(try table.optional("from")?.moment()),
      until: mistakes.attempt(try table.optional("until")?.moment()),
      hours: table.list("hours", "hours", &mistakes) { node throws(ConfigurationError) in
        try node.hours()
      })
    _ = table.optional("id")
    let unknown = table.unknownKeys
    mistakes.add(unknown)
    // If a key is misspelt, another is missing because of that.
    guard unknown.isEmpty,
      let id = mistakes.attempt(try table.required("id", "a name of its own for this grant"))
    else { return nil }
    self.id = id
    guard mistakes.all.count == before else { return nil }
  }

  func rule(_ mistakes: inout Mistakes) -> PolicyFile.Located? {
    mistakes.attempt(try rule())
  }

  private func rule() throws(ConfigurationError) -> PolicyFile.Located {
    let name = try id.string()
    let fields = ReleasedFields(released.compactMap { ReleasedField(name: $0) })
    let secrets = ReleasedSecrets(released.compactMap { ReleasedSecret(name: $0) })
    do throws(RuleFlaw) {
      let rule = try Rule(
        id: name, callers: callers, operations: operations, keys: keys, released: fields,
        sealed: ReleasedFields(sealed), partner: partner,
        secrets: secrets, showsStage: showsStage, rate: rate, quota: quota, keyQuota: keyQuota,
        validity: validity, needsApproval: needsApproval)
      return PolicyFile.Located(rule: rule, id: id)
    } catch {
      throw (table.optional(key(of: error)) ?? table.node).error(message(error))
    }
  }

  private func key(of flaw: RuleFlaw) -> String {
    switch flaw {
    case .badIdentifier, .noAccounts: "id"
    case .overflowUser: "users"
    case .overflowGroup: "groups"
    case .badUnit: "units"
    case .badExecutable: "executables"
    case .noOperations, .freeOperation, .keysMissing, .limitMissing: "operations"
    case .keysUnused: "keys"
    case .releaseUnused, .releaseMissing, .sealedMissing: "release"
    case .sealedUnused, .notSealable: "envelope"
    case .partnerWithoutFields, .partnerUnserved: "release_to"
    case .partnerFields: "release"
    case .keyQuotaUnused: "key_quota"
    case .neverInForce: "until"
    case .approvalUnused: "approval"
    }
  }

  private func message(_ flaw: RuleFlaw) -> String {
    switch flaw {
    case .badIdentifier: "'id' is not an identifier; expected 1 to 64 of a-z, 0-9, '.', '_' and '-'"
    case .noAccounts:
      "this grant names no accounts; expected users or groups beside units and executables"
    case .overflowUser:
      "'users' has the overflow id 65534, which may be anybody; expected users of this system"
    case .overflowGroup:
      "'groups' has the overflow id 65534, which may be anybody; expected groups of this system"
    case .badUnit:
      "'units' has a name that is not printable ASCII; expected such as \"acme-gateway.service\""
    case .badExecutable:
      "'executables' has a path that is not printable ASCII; expected such as \"/usr/bin/acme-gateway\""
    case .noOperations: "this grant names no operations; expected at least one"
    case .freeOperation(let opcode):
      "'operations' has \(opcode.name), which needs no grant; expected others"
    case .keysMissing(let opcode):
      "'operations' has \(opcode.name), which works with keys; expected 'keys' to name some"
    case .keysUnused:
      "'keys' names keys, but no operation of this grant works with one; expected none"
    case .releaseUnused:
      "'release' names fields that no operation of this grant releases; expected fields with \(Opcode.openPaymentToken.name) or \(Opcode.openEnvelope.name), dpan with \(Opcode.detokenise.name) or \(Opcode.provisionPass.name), shared-secret with ecdh, derived-key with kdf"
    case .releaseMissing:
      "'operations' has \(Opcode.detokenise.name), which releases only a PAN; expected 'release' to name dpan"
    case .sealedMissing:
      "'release' has envelope, and the grant does not say what is sealed into it; expected 'envelope' to name fields"
    case .sealedUnused:
      "'envelope' names fields to seal, and the grant releases no envelope; expected 'release' to name envelope"
    case .notSealable:
      "'envelope' has a field that no envelope holds; expected others than raw, surrogate and envelope"
    case .partnerWithoutFields:
      "'release_to' names a partner, and the grant releases nothing; expected 'release' to name fields"
    case .partnerFields:
      "'release' has a field that no JWE for a partner holds; expected others than raw, surrogate and envelope"
    case .partnerUnserved(let opcode):
      "'operations' has \(opcode.name), whose result no partner gets; expected \(Opcode.openPaymentToken.name) or \(Opcode.openEnvelope.name) beside 'release_to'"
    case .keyQuotaUnused:
      "'key_quota' counts uses of keys, but no operation of this grant works with one; expected 'quota'"
    case .limitMissing(let opcode):
      "'operations' has \(opcode.name), which lets a caller try or compare values; expected 'rate' or 'quota'"
    case .neverInForce:
      "'until' is not after 'from', so the grant would never be in force; expected a later moment"
    case .approvalUnused:
      "'approval' is true, but no operation of this grant can wait for an approval; expected others, or no 'approval'"
    }
  }
}

extension TOMLNode {
  /// The name of a field of a token, or of a secret of a primitive.
  fileprivate func release() throws(ConfigurationError) -> String {
    let names = ReleasedFields.nameable.fields.map(\.name) + ReleasedSecret.allCases.map(\.name)
    return try text(oneOf: names) { names.contains($0) ? $0 : nil }
  }

  fileprivate func sealable() throws(ConfigurationError) -> ReleasedField {
    try text(oneOf: ReleasedFields.sealable.fields.map(\.name)) { name in
      ReleasedField(name: name).flatMap { ReleasedFields.sealable.contains($0) ? $0 : nil }
    }
  }
}
