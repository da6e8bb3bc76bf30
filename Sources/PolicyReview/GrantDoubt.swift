package import Encoding
package import Policy
internal import Wire

/// What a grant says that its writer can hardly have meant: `kist policy check --strict` asks for it.
package enum GrantDoubt: Hashable, Sendable {
  /// Its last moment has passed.
  case ended(Timestamp)
  /// systemd's names of services and scopes end in these words, so it never matches.
  case unitWithoutSuffix(String)
  /// Executables are hidden by landlock.
  case namesExecutables
  /// It opens tokens, uses them up, and lets nothing out.
  case opensForNothing
  /// A payment with a DPAN and without cryptogram and ECI is a keyed card payment: the liability stays with the merchant.
  case panWithoutCryptogram

  package static func all(in rule: Rule, at now: Timestamp) -> [GrantDoubt] {
    var doubts: [GrantDoubt] = []
    if let until = rule.validity.until, until <= now { doubts.append(.ended(until)) }
    doubts += rule.callers.units.filter { !$0.hasSuffix(".service") && !$0.hasSuffix(".scope") }.map(GrantDoubt.unitWithoutSuffix)
    if !rule.callers.executables.isEmpty { doubts.append(.namesExecutables) }
    guard rule.operations.contains(.openPaymentToken) else { return doubts }
    if rule.released.isEmpty { doubts.append(.opensForNothing) }
    if rule.released.contains(.dpan), !rule.released.isSuperset(of: ReleasedFields([.cryptogram, .eci])) { doubts.append(.panWithoutCryptogram) }
    return doubts
  }

  /// What follows `grant ID`.
  package var sentence: String {
    switch self {
    case .ended(let until): "ended at \(until.wholeSeconds)"
    case .unitWithoutSuffix(let name): "names unit \(name), which is no name of a service or scope: did you mean \(name).service?"
    case .namesExecutables: "names executables, which the daemon does not see unless process.landlock is false"
    case .opensForNothing: "opens tokens and releases nothing of them: expected 'release'"
    case .panWithoutCryptogram: "releases dpan without cryptogram and eci: such a payment is keyed entry, and the liability for fraud does not shift"
    }
  }
}
