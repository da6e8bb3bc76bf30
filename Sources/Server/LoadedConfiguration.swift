internal import Configuration
internal import CryptoBackend
internal import Encoding
internal import KeyBlock
internal import KeyStore
internal import Operations
internal import Policy
internal import Service
internal import Supervision

/// A configuration file and the policy that it names, read and checked together, so that a reload takes both or neither.
struct LoadedConfiguration: Sendable {
  let configuration: DaemonConfiguration
  let policy: Policy
  /// How callers are identified.
  let identity: PeerIdentity

  init(_ path: String, _ accounts: Accounts) throws(StartFailure) {
    do throws(ConfigurationError) {
      configuration = try DaemonConfiguration.load(path, accounts: accounts)
      policy = try PolicyDirectory.load(configuration.policyDirectory, accounts: accounts, changedBy: configuration.process.user?.id)
      let subordinates = try SubordinateUsers.load(accounts: accounts)
      subordinates.warn()
      identity = PeerIdentity(slices: configuration.slices, subordinates: subordinates)
      if let source = try SubordinateUsers.unreadSource() { Self.warn(ofSubordinatesIn: source) }
    } catch { throw StartFailure(error) }
    try checkExecutables()
    warnOfProcesses()
  }

  private static func warn(ofSubordinatesIn source: String) {
    Diagnostics.write(
      .warning, "subordinate-users-unknown",
      [
        ("source", source),
        ("meaning", "nsswitch.conf has newuidmap ask there, and kistd reads \(SubordinateUsers.path) alone; list operators' ranges in it, too"),
      ])
  }

  /// Warns of grants that name units or executables, which match nobody on a kernel that cannot identify the calling process.
  private func warnOfProcesses() {
    guard !PeerIdentity.tellsProcesses else { return }
    for rule in policy.rules where rule.callers.asksForProcess {
      Diagnostics.write(
        .warning, "grant-never-matches",
        [("grant", rule.id), ("meaning", "this kernel does not tell a caller's unit or executable (SO_PEERPIDFD, Linux 6.5); name users or groups alone")])
    }
  }

  /// Under landlock a process may not follow /proc/PID/exe of one outside it, so a grant that names executables would match nobody.
  private func checkExecutables() throws(StartFailure) {
    guard configuration.process.landlock, let rule = policy.rules.first(where: { !$0.callers.executables.isEmpty }) else { return }
    throw StartFailure(
      .configuration,
      "grant \"\(rule.id)\": landlock hides callers' executables from the daemon; name 'units' instead, or set process.landlock = false")
  }

  /// The part that can change while the daemon runs.
  var rules: Rules {
    Rules(
      policy, freshness: freshness, retry: retry, standInKeys: standInKeys, oldBlocks: oldBlocks,
      opensLocally: Set(configuration.merchants.lazy.filter(\.opensLocally).map(\.identifier)), configurationHash: SHA256.hash(configuration.text))
  }

  private var oldBlocks: Set<KeyBlockVersion> {
    Set(configuration.keyExchange.oldBlocks.compactMap { $0.utf8.first.flatMap(KeyBlockVersion.init) })
  }

  private var standInKeys: StandInKeys {
    let all = configuration.merchants.map { merchant in
      let envelopes = merchant.envelopeKey.flatMap { KeyLabel($0) }.map {
        StandInKeys.Envelopes(key: $0, lifetime: merchant.envelopeLifetime.wholeSeconds, openOnce: merchant.envelopeOpensOnce)
      }
      let surrogateKey = merchant.surrogateKey.flatMap { KeyLabel($0) }
      return (merchant.identifier, StandInKeys.Merchant(surrogateKey: surrogateKey, surrogateFormat: merchant.surrogateFormat, envelopes: envelopes))
    }
    return StandInKeys(merchants: Dictionary(all) { first, _ in first })
  }

  private var freshness: MerchantWindows { windows(configuration.applePay.freshnessWindow, \.freshnessWindow) }
  private var retry: MerchantWindows { windows(configuration.applePay.retryWindow, \.retryWindow) }

  private func windows(_ general: Duration, _ own: (MerchantConfiguration) -> Duration?) -> MerchantWindows {
    let merchants = configuration.merchants.compactMap { merchant in own(merchant).map { (merchant.identifier, $0.wholeSeconds) } }
    return MerchantWindows(general: general.wholeSeconds, merchants: Dictionary(merchants) { first, _ in first })
  }
}

extension Duration {
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
