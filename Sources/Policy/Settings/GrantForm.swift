package import Format

/// A grant as it travels: `GrantForm` of `proto/settings.proto`.
package struct GrantForm: Message, Sendable {
  private var id = ""
  private var users: [Principal] = []
  private var groups: [Principal] = []
  private var units: [String] = []
  private var executables: [String] = []
  private var operations: Set<Opcode> = []
  private var keys: [String] = []
  private var released = ReleasedFields()
  private var sealed = ReleasedFields()
  private var partner: String?
  private var secrets: UInt32 = 0
  private var showsStage = false
  private var needsApproval = false
  private var rate, quota, keyQuota: String?
  private var from, until: Timestamp?
  private var hours: [String] = []

  package init() {}

  init(_ rule: Rule) {
    (id, users, groups) = (rule.id, rule.callers.users, rule.callers.groups)
    (units, executables) = (rule.callers.units, rule.callers.executables)
    (operations, keys) = (Set(rule.operations), rule.keys.map(\.description))
    (released, sealed, partner, secrets) = (rule.released, rule.sealed, rule.partner, UInt32(rule.secrets.rawValue))
    (showsStage, needsApproval) = (rule.showsStage, rule.needsApproval)
    (rate, quota, keyQuota) = (rule.rate?.description, rule.quota?.description, rule.keyQuota?.description)
    (from, until, hours) = (rule.validity.from, rule.validity.until, rule.validity.hours.map(\.description))
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "id", &id, .oneTo(64))
    try visitor.messages(2, "users", "Principal", &users, atMost: Principal.cap, count: Self.listLimit)
    try visitor.messages(3, "groups", "Principal", &groups, atMost: Principal.cap, count: Self.listLimit)
    try visitor.texts(4, "units", &units, atMost: 4096, count: Self.listLimit)
    try visitor.texts(5, "executables", &executables, atMost: 4096, count: Self.listLimit)
    try visitor.operations(6, "operations", &operations)
    try visitor.texts(7, "keys", &keys, atMost: KeyPattern.maximumByteCount, count: Self.listLimit)
    try visitor.set(8, "release", "ReleasedField", &released, atMost: 64)
    try visitor.set(9, "envelope", "ReleasedField", &sealed, atMost: 64)
    try visitor.text(10, "release_to", &partner, .atMost(KeyPattern.maximumByteCount))
    try visitor.uint32(11, "release_secrets", &secrets)
    try visitor.bool(12, "stages", &showsStage)
    try visitor.bool(13, "approval", &needsApproval)
    try visitor.text(14, "rate", &rate, .atMost(32))
    try visitor.text(15, "quota", &quota, .atMost(32))
    try visitor.text(16, "key_quota", &keyQuota, .atMost(32))
    try visitor.moment(17, "from", &from)
    try visitor.moment(18, "until", &until)
    try visitor.texts(19, "hours", &hours, atMost: 32, count: Self.listLimit)
  }

  /// - Throws: `.badValue` for what no policy file could have had; the field's number is that of the list of grants.
  func rule() throws(WireError) -> Rule {
    let patterns = keys.compactMap { KeyPattern($0) }
    let hours = hours.compactMap { WeeklyHours($0) }
    let (rate, quota, keyQuota) = (rate.map { Rate($0) }, quota.map { Quota($0) }, keyQuota.map { Quota($0) })
    let secrets = ReleasedSecrets(ReleasedSecret.allCases.filter { self.secrets & 1 << $0.rawValue != 0 })
    guard patterns.count == keys.count, hours.count == self.hours.count, rate != .some(nil), quota != .some(nil), keyQuota != .some(nil),
      UInt32(secrets.rawValue) == self.secrets
    else { throw .badValue(2) }
    do throws(RuleFlaw) {
      return try Rule(
        id: id, callers: CallerRule(users: users, groups: groups, units: units, executables: executables), operations: operations, keys: patterns,
        released: released, sealed: sealed, partner: partner, secrets: secrets, showsStage: showsStage, rate: rate ?? nil, quota: quota ?? nil,
        keyQuota: keyQuota ?? nil, validity: Validity(from: from, until: until, hours: hours), needsApproval: needsApproval)
    } catch { throw .badValue(2) }
  }

  private static let listLimit = 65_536
}
