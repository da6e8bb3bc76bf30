package import Policy

extension AccountTable {
  /// Reads passwd(5), group(5) and subuid(5): who is who, whatever policy says.
  ///
  /// - Parameters:
  ///   - accounts: says whose a range of subuid(5) is.
  ///   - root: stands before the paths of these files.
  /// - Throws: if one of them cannot be read, or has more lines than a table has rows.
  package static func host(_ accounts: Accounts, root: String = "") throws(ConfigurationError) -> (table: AccountTable, unreadLines: [Int]) {
    let users = try AccountFile(ifPresent: root + "/etc/passwd")
    let groups = try AccountFile(ifPresent: root + "/etc/group")
    let subordinates = try SubordinateUsers.load(root + SubordinateUsers.path, accounts: accounts)
    let table = AccountTable(users: users.users, groups: groups.groups(of: users), subordinates: subordinates.rows)
    guard max(table.users.count, table.groups.count, table.subordinates.count) <= rowLimit else {
      throw ConfigurationError(file: root + "/etc", "passwd, group or subuid has more than \(rowLimit) lines, which is more than kistd takes")
    }
    return (table, subordinates.unreadLines)
  }
}

extension AccountFile {
  /// The users of a passwd(5), by their numbers; of two lines with one number the first is first.
  fileprivate var users: [UserRow] {
    entries.compactMap { entry in
      let name = String(decoding: entry.name, as: UTF8.self)
      guard let uid = entry.number, (1...256).contains(name.utf8.count) else { return nil }
      return UserRow(uid: uid, name: name)
    }
  }

  /// The groups of a group(5) and who is in them by either file, by their numbers.
  fileprivate func groups(of users: AccountFile) -> [GroupRow] {
    var (numbers, primary): ([ArraySlice<UInt8>: [UInt32]], [UInt32: Set<UInt32>]) = ([:], [:])
    for user in users.entries {
      guard let uid = user.number else { continue }
      numbers[user.name, default: []].append(uid)
      if let group = user.primaryGroup { primary[group, default: []].insert(uid) }
    }
    var rows: [UInt32: Set<UInt32>] = [:]
    for group in entries {
      guard let gid = group.number else { continue }
      rows[gid, default: primary[gid] ?? []].formUnion(group.members.flatMap { numbers[$0] ?? [] })
    }
    return rows.sorted { $0.key < $1.key }.map { GroupRow(gid: $0.key, members: $0.value.sorted()) }
  }
}
