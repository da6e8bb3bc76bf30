internal import Encoding
internal import Policy
internal import Wire

/// One file of `policy.d`: the `[[grant]]` tables in their order.
enum PolicyFile {
  /// A rule and where its id stands, for whoever uses the id again.
  struct Located {
    let rule: Rule
    let id: TOMLNode
  }

  static func decode(_ text: [UInt8], file: String, accounts: Accounts) throws(ConfigurationError) -> [Located] {
    try TOMLDocument.decode(text, file: file) { root throws(ConfigurationError) in
      try root.sections("grant") { table throws(ConfigurationError) in try GrantTable(table, accounts).rule() }
    }
  }
}

/// A `[[grant]]` with the nodes its values came from, so that a flaw of the rule is shown at the key it is about.
private struct GrantTable {
  let table: TOMLTable
  let id: TOMLNode
  let callers: CallerRule
  let operations: Set<Opcode>
  let keys: [KeyPattern]
  let released: [Release]
  let showsStage, needsApproval: Bool
  let rate: Rate?
  let quota, keyQuota: Quota?
  let validity: Validity

  init(_ table: TOMLTable, _ accounts: Accounts) throws(ConfigurationError) {
    self.table = table
    callers = CallerRule(
      users: try table.list("users", "users") { node throws(ConfigurationError) in try node.user(accounts) },
      groups: try table.list("groups", "groups") { node throws(ConfigurationError) in try node.group(accounts) },
      units: try table.list("units", "systemd units") { node throws(ConfigurationError) in try node.string() },
      executables: try table.list("executables", "absolute paths") { node throws(ConfigurationError) in try node.path() })
    operations = Set(try table.list("operations", "operations") { node throws(ConfigurationError) in try node.operation() })
    keys = try table.list("keys", "key labels") { node throws(ConfigurationError) in try node.keyPattern() }
    released = try table.list("release", "fields") { node throws(ConfigurationError) in try node.release() }
    showsStage = try table.optional("stages")?.boolean() ?? false
    needsApproval = try table.optional("approval")?.boolean() ?? false
    rate = try table.optional("rate")?.text("a rate such as \"100/s\", \"600/m\" or \"20/h\", at most 1000000") { Rate($0) }
    quota = try table.optional("quota")?.quota()
    keyQuota = try table.optional("key_quota")?.quota()
    validity = Validity(
      from: try table.optional("from")?.moment(), until: try table.optional("until")?.moment(),
      hours: try table.list("hours", "hours") { node throws(ConfigurationError) in try node.hours() })
    // A misspelt key is why another is missing, so it is shown first.
    _ = table.optional("id")
    try table.finish()
    id = try table.required("id", "a name of its own for this grant")
  }

  func rule() throws(ConfigurationError) -> PolicyFile.Located {
    let name = try id.string()
    do throws(RuleFlaw) {
      let rule = try Rule(
        id: name, callers: callers, operations: operations, keys: keys, released: ReleasedFields(released.compactMap(\.field)),
        secrets: ReleasedSecrets(released.compactMap(\.secret)), showsStage: showsStage, rate: rate,
        quota: quota, keyQuota: keyQuota, validity: validity, needsApproval: needsApproval)
      return PolicyFile.Located(rule: rule, id: id)
    } catch {
      throw (table.optional(key(of: error)) ?? table.node).error(message(error))
    }
  }

  private func key(of flaw: RuleFlaw) -> String {
    switch flaw {
    case .badIdentifier, .noCallers, .tooMany: "id"
    case .overflowUser: "users"
    case .overflowGroup: "groups"
    case .badUnit: "units"
    case .badExecutable: "executables"
    case .noOperations, .freeOperation, .keysMissing, .limitMissing: "operations"
    case .keysUnused: "keys"
    case .releaseUnused, .releaseMissing: "release"
    case .keyQuotaUnused: "key_quota"
    case .neverInForce: "until"
    case .approvalUnused: "approval"
    }
  }

  private func message(_ flaw: RuleFlaw) -> String {
    switch flaw {
    case .badIdentifier: "'id' is not an identifier; expected 1 to 64 of a-z, 0-9, '.', '_' and '-'"
    case .noCallers: "this grant names no callers; expected at least one of users, groups, units, executables"
    case .overflowUser: "'users' has the overflow id 65534, which may be anybody; expected users of this system"
    case .overflowGroup: "'groups' has the overflow id 65534, which may be anybody; expected groups of this system"
    case .badUnit: "'units' has a name that is not printable ASCII; expected such as \"acme-gateway.service\""
    case .badExecutable: "'executables' has a path that is not printable ASCII; expected such as \"/usr/bin/acme-gateway\""
    case .noOperations: "this grant names no operations; expected at least one"
    case .freeOperation(let opcode): "'operations' has \(opcode.name), which needs no grant; expected others"
    case .keysMissing(let opcode): "'operations' has \(opcode.name), which works with keys; expected 'keys' to name some"
    case .keysUnused: "'keys' names keys, but no operation of this grant works with one; expected none"
    case .releaseUnused:
      "'release' names what no operation of this grant lets out; expected fields with \(Opcode.openPaymentToken.name), dpan with \(Opcode.detokenise.name), shared-secret with ecdh, derived-key with kdf"
    case .releaseMissing: "'operations' has \(Opcode.detokenise.name), which lets out nothing but a PAN; expected 'release' to name dpan"
    case .keyQuotaUnused: "'key_quota' counts uses of keys, but no operation of this grant works with one; expected 'quota'"
    case .limitMissing(let opcode): "'operations' has \(opcode.name), with which values can be tried; expected 'rate' or 'quota'"
    case .neverInForce: "'until' is not after 'from', so the grant would never be in force; expected a later moment"
    case .approvalUnused: "'approval' is true, but no operation of this grant can wait for an approval; expected others, or no 'approval'"
    case .tooMany:
      "this grant has more than \(Rule.maximumCombinations) combinations of callers, operations and keys; expected several grants"
    }
  }
}

extension TOMLNode {
  fileprivate func release() throws(ConfigurationError) -> Release {
    let names = ReleasedField.allCases.map(\.name) + ReleasedSecret.allCases.map(\.name)
    return try text("one of \(names.joined(separator: ", "))") { Release(name: $0) }
  }
}

/// One name in `release`: a field of a token, or a secret of a primitive.
private enum Release: Hashable {
  case field(ReleasedField)
  case secret(ReleasedSecret)

  init?(name: String) {
    if let field = ReleasedField(name: name) {
      self = .field(field)
    } else if let secret = ReleasedSecret(name: name) {
      self = .secret(secret)
    } else {
      return nil
    }
  }

  var field: ReleasedField? { if case .field(let field) = self { field } else { nil } }
  var secret: ReleasedSecret? { if case .secret(let secret) = self { secret } else { nil } }
}
