package import Policy
internal import SecretMemory

/// The handle tables of all connections, so that locking the key store reaches them.
package final class HandleTables: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`; an empty one is a connection that has ended.
  private var tables: [Entry] = []
  private let limits: HandleLimits
  private let clock: @Sendable () -> MonotonicTime

  package init(_ limits: HandleLimits, clock: @escaping @Sendable () -> MonotonicTime) { (self.limits, self.clock) = (limits, clock) }

  /// The table of a new connection, which owns it.
  package func make() -> HandleTable {
    let table = HandleTable(limits, clock: clock)
    lock.withLock {
      tables.removeAll { $0.table == nil }
      tables.append(Entry(table: table))
    }
    return table
  }

  /// Wipes every secret that a connection holds.
  package func wipeAll() {
    let live = lock.withLock { tables.compactMap(\.table) }
    for table in live { table.wipe() }
  }

  private struct Entry {
    weak var table: HandleTable?
  }
}
