/// The files that say whose an id is and who is in which group: a running daemon looks at them again.
package struct AccountFiles: Sendable {
  private let users, groups, subordinates: String

  package init(
    users: String = "/etc/passwd", groups: String = "/etc/group",
    subordinates: String = SubordinateUsers.path
  ) {
    (self.users, self.groups, self.subordinates) = (users, groups, subordinates)
  }

  /// Another value once those have changed that say whose a subordinate id is.
  package var stamp: [[Int]] { [users, subordinates].map(TextFile.stamp) }

  package func readSubordinates(_ accounts: Accounts) throws(ConfigurationError) -> SubordinateUsers {
    try SubordinateUsers.load(subordinates, accounts: accounts)
  }

  /// Those of these groups in which the files do not list the user; all of them if a file cannot be read.
  ///
  /// Of a user or a group that is in no file, such as a directory's, they say nothing.
  package func revoked(_ held: [UInt32], from uid: UInt32) -> Set<UInt32> {
    do throws(ConfigurationError) {
      let accounts = try AccountFile(ifPresent: users).lines(of: uid)
      let groups = try AccountFile(ifPresent: groups)
      guard !accounts.isEmpty else { return [] }
      let left = held.filter { group in
        let lines = groups.lines(of: group)
        let isMember = lines.flatMap(\.members).contains { member in
          accounts.contains { $0.name == member }
        }
        return !lines.isEmpty && !isMember && !accounts.contains { $0.primaryGroup == group }
      }
      return Set(left)
    } catch { return Set(held) }
  }
}
