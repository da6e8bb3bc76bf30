package import Configuration
internal import Threads

/// What the users who connect are called, for the audit log.
///
/// A name is kept for a minute, so that connections cost no look-up each and a renamed account still shows.
package final class UserNames: @unchecked Sendable {
  private let accounts: Accounts
  private let nanoseconds: @Sendable () -> Int64
  private let lock = Lock()
  /// Guarded by `lock`.
  private var known: [UInt32: Entry] = [:]

  private struct Entry {
    /// Nil for a number that nobody knows.
    let name: String?
    let end: Int64
  }

  /// - Parameter nanoseconds: a clock that only goes forward.
  package init(_ accounts: Accounts, nanoseconds: @escaping @Sendable () -> Int64) { (self.accounts, self.nanoseconds) = (accounts, nanoseconds) }

  package func name(of uid: UInt32) -> String? {
    let now = nanoseconds()
    if let entry = lock.withLock({ known[uid] }), now < entry.end { return entry.name }
    let name = accounts.userName(uid)
    lock.withLock {
      // A namespace has 65,536 users and more; nobody fills the memory with them.
      if known.count >= Self.limit { known.removeAll() }
      known[uid] = Entry(name: name, end: now + Self.lifetime)
    }
    return name
  }

  private static let limit = 4096
  /// A minute, in nanoseconds.
  private static let lifetime: Int64 = 60_000_000_000
}
