package import Format
package import Policy

/// Something in a grant that its writer probably did not mean; `kist policy check --strict` reports it.
package enum GrantDoubt: Hashable, Sendable {
  /// Its last moment has passed.
  case ended(Timestamp)
  /// The unit lacks the suffix of systemd's services and scopes, so it never matches.
  case unitWithoutSuffix(String)
  /// Landlock hides executables.
  case namesExecutables
  /// It lets callers open tokens, which uses them up, but releases nothing.
  case opensForNothing
  /// A payment with a DPAN but without cryptogram and ECI is a keyed card payment: the liability stays with the merchant.
  case panWithoutCryptogram
  /// The uid may be that of several containers, which the daemon cannot tell apart.
  case sharedByContainers(UInt32)
  /// Everybody in a group, or many users, may do what leaves a record each time, as fast as the daemon is.
  case unlimited

  package static func all(in rule: Rule, at now: Timestamp) -> [GrantDoubt] {
    var doubts: [GrantDoubt] = []
    if let until = rule.validity.until, until <= now { doubts.append(.ended(until)) }
    doubts += rule.callers.units.filter { !$0.hasSuffix(".service") && !$0.hasSuffix(".scope") }.map(GrantDoubt.unitWithoutSuffix)
    if !rule.callers.executables.isEmpty { doubts.append(.namesExecutables) }
    doubts += rule.callers.users.filter { $0.name == nil && $0.id >= firstSubordinate && rule.callers.units.isEmpty }.map { .sharedByContainers($0.id) }
    let isForMany = rule.callers.users.isEmpty || rule.callers.users.count >= many
    if rule.rate == nil, isForMany { doubts.append(.unlimited) }
    guard rule.operations.contains(.openPaymentToken) else { return doubts }
    if rule.released.isEmpty { doubts.append(.opensForNothing) }
    if rule.released.contains(.dpan), !rule.released.isSuperset(of: ReleasedFields([.cryptogram, .eci])) { doubts.append(.panWithoutCryptogram) }
    return doubts
  }

  private static let many = 16
  /// `SUB_UID_MIN` of login.defs(5).
  private static let firstSubordinate: UInt32 = 100_000

  /// What follows `grant ID`.
  package var sentence: String {
    switch self {
    case .ended(let until): "ended at \(until.wholeSeconds)"
    case .unitWithoutSuffix(let name): "names unit \(name), which is not a service or scope: did you mean \(name).service?"
    case .namesExecutables: "names executables, which the daemon does not see unless process.landlock is false"
    case .opensForNothing: "opens tokens and releases nothing of them: expected 'release'"
    case .panWithoutCryptogram: "releases dpan without cryptogram and eci: such a payment is keyed entry, and the liability for fraud does not shift"
    case .sharedByContainers(let uid):
      "names user \(uid) by the number alone: every container with that uid is this caller"
    case .unlimited: "lets many users fill the log, a record for each request: expected 'rate'"
    }
  }
}
