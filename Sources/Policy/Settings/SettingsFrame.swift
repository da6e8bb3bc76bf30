// Settings: what kistd has read and checked for kistd-keys: configuration, policy, accounts, and
// the frame in which they travel.
// It knows the form of each value, and refuses a frame that it would not write itself.
// It must not know TOML, files, or how the daemon acts on a setting.
// kistd, kist and the tests make frames; kistd-keys alone opens one, before it has a key.

package import Format

/// All that `kistd-keys` is told: the message `SettingsFrame` of `proto/settings.proto`.
package struct SettingsFrame: Message, Sendable {
  package var configuration = DaemonConfiguration()
  private var grants: [GrantForm] = []
  package var accounts = AccountTable()

  package init() {}

  package init(_ configuration: DaemonConfiguration, _ policy: Policy, _ accounts: AccountTable) {
    self.configuration = configuration
    self.accounts = accounts
    grants = policy.rules.map(GrantForm.init)
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.message(1, "configuration", "DaemonConfiguration", &configuration, atMost: 1 << 24)
    try visitor.messages(2, "grants", "GrantForm", &grants, atMost: 1 << 20, count: 65_536)
    try visitor.message(3, "accounts", "AccountTable", &accounts, atMost: 1 << 24)
  }

  /// The policy that the grants make, in their order.
  ///
  /// - Throws: `.badValue` for what no policy files could have had.
  package func policy() throws(WireError) -> Policy {
    let rules = try grants.map { (grant) throws(WireError) in try grant.rule() }
    do throws(PolicyError) { return try Policy(rules) } catch { throw .badValue(2) }
  }

  /// In the runtime directory, for a reload.
  package static let fileName = "settings"

  /// Of a whole frame, in bytes.
  package static let byteLimit = 1 << 25
}

extension Message {
  /// The message in its one form.
  ///
  /// - Throws: `.tooLong` above `SettingsFrame.byteLimit`, and for what no reader would take.
  package func encoded() throws(WireError) -> [UInt8] {
    var size = 1 << 16
    while true {
      var bytes = [UInt8](repeating: 0, count: size)
      do throws(WireError) {
        let count = try written(into: bytes.mutableSpan)
        return Array(bytes.prefix(count))
      } catch {
        guard case .tooLong = error, size < SettingsFrame.byteLimit else { throw error }
        size *= 2
      }
    }
  }

  private func written(into place: consuming MutableSpan<UInt8>) throws(WireError) -> Int {
    var writer = MessageWriter(place)
    try encode(into: &writer)
    return writer.count
  }

  /// - Throws: also for bytes that say the same as others would.
  package init(canonical bytes: [UInt8]) throws(WireError) {
    try self.init(MessageReader(bytes.span))
    guard try encoded() == bytes else { throw .badValue(1) }
  }
}

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
    id = rule.id
    users = rule.callers.users
    groups = rule.callers.groups
    units = rule.callers.units
    executables = rule.callers.executables
    operations = Set(rule.operations)
    keys = rule.keys.map(\.description)
    released = rule.released
    sealed = rule.sealed
    partner = rule.partner
    secrets = UInt32(rule.secrets.rawValue)
    showsStage = rule.showsStage
    needsApproval = rule.needsApproval
    rate = rule.rate?.description
    quota = rule.quota?.description
    keyQuota = rule.keyQuota?.description
    from = rule.validity.from
    until = rule.validity.until
    hours = rule.validity.hours.map(\.description)
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "id", &id, .oneTo(64))
    try visitor.messages(
      2, "users", "Principal", &users, atMost: Principal.cap, count: Self.listLimit)
    try visitor.messages(
      3, "groups", "Principal", &groups, atMost: Principal.cap, count: Self.listLimit)
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

  /// - Throws: `.badValue` for what no policy file could have had; the field's number is that of
  ///   the list of grants.
  func rule() throws(WireError) -> Rule {
    let patterns = keys.compactMap { KeyPattern($0) }
    let hours = hours.compactMap { WeeklyHours($0) }
    let rate = rate.map { Rate($0) }
    let quota = quota.map { Quota($0) }
    let keyQuota = keyQuota.map { Quota($0) }
    let secrets = ReleasedSecrets(
      ReleasedSecret.allCases.filter { self.secrets & 1 << $0.rawValue != 0 })
    guard patterns.count == keys.count, hours.count == self.hours.count, rate != .some(nil),
      quota != .some(nil), keyQuota != .some(nil),
      UInt32(secrets.rawValue) == self.secrets
    else { throw .badValue(2) }
    do throws(RuleFlaw) {
      return try Rule(
        id: id,
        callers: CallerRule(users: users, groups: groups, units: units, executables: executables),
        operations: operations, keys: patterns,
        released: released, sealed: sealed, partner: partner, secrets: secrets,
        showsStage: showsStage, rate: rate ?? nil, quota: quota ?? nil,
        keyQuota: keyQuota ?? nil, validity: Validity(from: from, until: until, hours: hours),
        needsApproval: needsApproval)
    } catch { throw .badValue(2) }
  }

  private static let listLimit = 65_536
}
