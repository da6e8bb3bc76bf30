internal import Threads

/// The system's answers about users and groups, for a process that can no longer ask.
///
/// NSS loads code and opens sockets, which a confined daemon cannot do. So the daemon reads /etc/passwd and /etc/group itself;
/// for names that are in neither, it remembers the answers that NSS gave at its start.
package final class AccountMemory: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var users: [String: UInt32] = [:]
  private var groups: [String: UInt32] = [:]

  package init() {}

  /// Asks another source, and keeps the answers.
  package func learning(from source: Accounts) -> Accounts {
    Accounts(
      uid: { [self] name in
        let id = source.uid(name)
        lock.withLock { users[name] = id }
        return id
      },
      gid: { [self] name in
        let id = source.gid(name)
        lock.withLock { groups[name] = id }
        return id
      }, groups: source.groups)
  }

  /// Asks the files, and then the memory.
  package func recalling(userFile: String = "/etc/passwd", groupFile: String = "/etc/group") -> Accounts {
    Accounts(
      uid: { [self] name in (try? AccountFile(userFile))?.number(of: name) ?? lock.withLock { users[name] } },
      gid: { [self] name in (try? AccountFile(groupFile))?.number(of: name) ?? lock.withLock { groups[name] } },
      userName: { [self] uid in
        // Several names may have been learnt for one number: always the same of them.
        (try? AccountFile(userFile))?.name(of: uid) ?? lock.withLock { users.filter { $0.value == uid }.keys.min() }
      })
  }
}
