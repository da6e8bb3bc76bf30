internal import Host

/// The tables that leaves may have at a time: each takes 256 KiB of the arena.
package final class LeafTables: @unchecked Sendable {
  package static let usualLimit = 8

  private let background: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let lock = Lock()
  /// Guarded by lock.
  private var free: Int

  /// - Parameter background: runs an action where no request waits for it.
  package init(limit: Int, background: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    (free, self.background) = (limit, background)
  }

  /// For a process that verifies a few tokens.
  package static var none: LeafTables { LeafTables(limit: 0) { _ in } }

  func takePlace() -> Bool {
    lock.withLock {
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  func giveBack() { lock.withLock { free += 1 } }

  func build(_ table: @escaping @Sendable () -> Void) { background(table) }
}
