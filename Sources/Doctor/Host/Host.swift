internal import Ceremony
internal import Configuration
internal import KeyStore
internal import Policy

/// What was read of a host, once, for all checks.
struct Host: Sendable {
  let surroundings: Surroundings
  /// As people wrote it, or why it cannot be taken.
  let written: Result<DaemonConfiguration, ConfigurationError>
  /// As written; else the defaults, so that one mistake hides no other.
  let configuration: DaemonConfiguration?
  let policy: Result<LocatedPolicy, ConfigurationErrors>
  let units: [Unit]
  let store: Result<StoreCopy, KeyStoreError>

  init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    let (root, accounts) = (surroundings.root, surroundings.accounts)
    units = Unit.names.compactMap { Unit($0, in: surroundings) }
    let daemon = units.first { $0.name == Unit.daemon }?.value("User").flatMap(accounts.uid) ?? accounts.uid("kist")
    written = Self.result { () throws(ConfigurationError) in
      try DaemonConfiguration.load(root + surroundings.configuration, accounts: accounts, changedBy: daemon)
    }
    configuration = (try? written.get()) ?? (try? DaemonConfiguration.decode(Array("audit.origin = \"-\"".utf8), file: "", accounts: accounts))
    let directory = root + (configuration?.policyDirectory ?? PolicyDirectory.defaultPath)
    policy = Self.result { () throws(ConfigurationErrors) in try PolicyDirectory.check(directory, accounts: accounts, changedBy: daemon) }
    let keys = root + (configuration?.stateDirectory ?? "") + "/keys"
    store = Self.result { () throws(KeyStoreError) in try StoreCopy(keys, on: StoreInUse()) }
    user = configuration?.process.user?.id ?? daemon
  }

  /// The daemon's; nil if there is no such account.
  let user: UInt32?

  var grants: LocatedPolicy? { try? policy.get() }

  /// Every key but the destroyed ones.
  var keys: [KeyRecord] { ((try? store.get())?.claimedRecords ?? []).filter { $0.state != .destroyed } }

  var keyDirectory: String { (configuration?.stateDirectory ?? "") + "/keys" }

  /// Whether somebody tries Kist out in a sandbox, on a machine where it is not installed.
  var isTrial: Bool { units.isEmpty && (try? written.get())?.sandbox != nil }

  func unit(_ name: String) -> Unit? { units.first { $0.name == name } }

  private static func result<T, E: Error>(_ body: () throws(E) -> T) -> Result<T, E> {
    do throws(E) { return .success(try body()) } catch { return .failure(error) }
  }
}
