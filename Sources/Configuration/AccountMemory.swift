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

  /// Asks another source, and keeps its answers for names that are in neither file: whoever is deleted from a file is forgotten.
  package func learning(
    from source: Accounts, userFile: String = "/etc/passwd", groupFile: String = "/etc/group"
  ) -> Accounts {
    Accounts(
      uid: { [self] name in
        let id = source.uid(name)
        if Self.number(of: name, in: userFile) == nil { lock.withLock { users[name] = id } }
        return id
      },
      gid: { [self] name in
        let id = source.gid(name)
        if Self.number(of: name, in: groupFile) == nil { lock.withLock { groups[name] = id } }
        return id
      }, groups: source.groups)
  }

  /// Asks the files, and then the memory.
  package func recalling(userFile: String = "/etc/passwd", groupFile: String = "/etc/group") -> Accounts {
    Accounts(
      uid: { [self] name in Self.number(of: name, in: userFile) ?? lock.withLock { users[name] } },
      gid: { [self] name in Self.number(of: name, in: groupFile) ?? lock.withLock { groups[name] } },
      userName: { [self] uid in
        // Several names may have been learnt for one number: always the same of them.
        (try? AccountFile(userFile))?.name(of: uid) ?? lock.withLock { users.filter { $0.value == uid }.keys.min() }
      })
  }

  private static func number(of name: String, in file: String) -> UInt32? {
    (try? AccountFile(file))?.number(of: name)
  }
}
