internal import Host
package import Policy

/// The handle tables of all connections, so that all can be wiped when the key store is locked.
package final class HandleTables: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`; an entry becomes empty when its connection ends.
  private var tables: [Entry] = []
  private let limits: HandleLimits
  private let clock: @Sendable () -> MonotonicTime

  package init(_ limits: HandleLimits, clock: @escaping @Sendable () -> MonotonicTime) { (self.limits, self.clock) = (limits, clock) }

  /// Makes the table of a new connection, which owns it.
  package func make() -> HandleTable {
    let table = HandleTable(limits, clock: clock)
    lock.withLock {
      tables.removeAll { $0.table == nil }
      tables.append(Entry(table: table))
    }
    return table
  }

  /// Wipes the secrets of all connections.
  package func wipeAll() {
    let live = lock.withLock { tables.compactMap(\.table) }
    for table in live { table.wipe() }
  }

  /// How many secrets each connection holds.
  package var counts: [Int] { lock.withLock { tables.compactMap(\.table) }.map(\.count) }

  private struct Entry {
    weak var table: HandleTable?
  }
}
