import Audit
import Ceremony
import Configuration
import Format
import KeyStore
import Policy
import Review

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
    let root = surroundings.root
    let accounts = surroundings.accounts
    units = Unit.names.compactMap { Unit($0, in: surroundings) }
    let daemon =
      units.first { $0.name == Unit.daemon }?.value("User").flatMap(accounts.uid)
      ?? accounts.uid("kist")
    written = Self.result(
      try DaemonConfiguration.load(
        root + surroundings.configuration, accounts: accounts, changedBy: daemon))
    configuration =
      (try? written.get())
      ?? (try? DaemonConfiguration.decode(
        Array("audit.origin = \"-\"".utf8), file: "", accounts: accounts))
    let directory = root + (configuration?.policyDirectory ?? PolicyDirectory.defaultPath)
    policy = Self.result(
      try PolicyDirectory.check(directory, accounts: accounts, changedBy: daemon))
    let keys = root + (configuration?.stateDirectory ?? "") + "/keys"
    store = Self.result(try StoreCopy(keys, on: StoreInUse()))
    user = configuration?.process.user?.id ?? daemon
  }

  /// The daemon's; nil if there is no such account.
  let user: UInt32?

  var grants: LocatedPolicy? { try? policy.get() }

  /// Every key but the destroyed ones.
  var keys: [KeyRecord] {
    ((try? store.get())?.claimedRecords ?? []).filter { $0.state != .destroyed }
  }

  var keyDirectory: String { (configuration?.stateDirectory ?? "") + "/keys" }

  /// Whether somebody tries Kist out in a sandbox, on a machine where it is not installed.
  var isTrial: Bool { units.isEmpty && (try? written.get())?.sandbox != nil }

  func unit(_ name: String) -> Unit? { units.first { $0.name == name } }

  private static func result<T, E: Error>(_ body: @autoclosure () throws(E) -> T) -> Result<T, E> {
    do throws(E) { return .success(try body()) } catch { return .failure(error) }
  }
}

extension Host {
  private var logPath: String { surroundings.root + (configuration?.audit.directory ?? "") }

  var log: LogReader { LogReader(LogDirectory(logPath, on: ArchiveDisk())) }

  /// When the oldest record that is left was written.
  var logBegan: Timestamp? {
    guard let first = try? log.directory.segments().first else { return nil }
    return try? log.beginning(of: first)?.time
  }

  /// The last record of one of these operations that was carried out.
  func lastRecord(of operations: [String]) -> Record? {
    let filters = operations.map { name in
      var filter = RecordFilter()
      filter.operation = name
      filter.result = "ok"
      return LineFilter(filter)
    }
    return lastRecord { line in filters.contains { (try? $0.record(in: line)) != nil } }
  }

  /// The SHA-256 of the `policy` or `configuration` that the daemon took last, in hexadecimal; nil
  /// if the log does not say.
  func taken(_ what: String) -> String? {
    let members = ["start": what, "\(what)-swap": "to"]
    let filters = members.keys.map { name in
      var filter = RecordFilter()
      filter.operation = name
      return LineFilter(filter)
    }
    guard
      let record = lastRecord(where: { line in
        filters.contains { (try? $0.record(in: line)) != nil }
      })
    else { return nil }
    let member = record.event.first { $0.name == members[record.operation] }
    guard case .string(let digest) = member?.value else { return nil }
    return digest
  }

  /// Reads back from the log's end, one segment after another.
  func lastRecord(where isMeant: (Span<UInt8>) -> Bool) -> Record? {
    let found = try? LogText(logPath, on: ArchiveDisk()).last(1, where: isMeant)
    return found?.lines.last.flatMap { try? Record(parsing: $0.span) }
  }
}
