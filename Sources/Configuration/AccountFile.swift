package import Policy

/// The lines of passwd(5) or group(5).
package struct AccountFile {
  private let text: [UInt8]

  package init(_ path: String) throws(ConfigurationError) { text = try TextFile.read(path) }

  /// The same, or no lines if there is no such file.
  init(ifPresent path: String) throws(ConfigurationError) {
    text = try TextFile.readIfPresent(path) ?? []
  }

  /// The third field of the first line with this name.
  package func number(of name: String) -> UInt32? {
    entries.first { $0.name.elementsEqual(name.utf8) }?.number
  }

  /// The first field of the first line with this number.
  package func name(of number: UInt32) -> String? {
    entries.first { $0.number == number && !$0.name.isEmpty }.map {
      String(decoding: $0.name, as: UTF8.self)
    }
  }

  struct Entry {
    let number: UInt32?
    let name: ArraySlice<UInt8>
    /// A user's primary group, or a group's members.
    fileprivate let fourth: ArraySlice<UInt8>

    var primaryGroup: UInt32? { AccountFile.number(fourth) }
    var members: [ArraySlice<UInt8>] { fourth.split(separator: UInt8(ascii: ",")) }
  }

  var entries: some Sequence<Entry> {
    text.split(separator: UInt8(ascii: "\n")).lazy.compactMap { line in
      let fields = line.split(
        separator: UInt8(ascii: ":"), maxSplits: 4, omittingEmptySubsequences: false)
      guard fields.count > 2 else { return nil }
      return Entry(
        number: Self.number(fields[2]), name: fields[0], fourth: fields.count > 3 ? fields[3] : [])
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    UInt32(String(decoding: digits, as: UTF8.self))
  }
}

extension AccountTable {
  /// Reads passwd(5), group(5) and subuid(5): who is who, whatever policy says.
  ///
  /// - Parameters:
  ///   - accounts: says whose a range of subuid(5) is.
  ///   - root: stands before the paths of these files.
  /// - Throws: if one of them cannot be read, or has more lines than a table has rows.
  package static func host(_ accounts: Accounts, root: String = "") throws(ConfigurationError) -> (
    table: AccountTable, unreadLines: [Int]
  ) {
    let users = try AccountFile(ifPresent: root + "/etc/passwd")
    let groups = try AccountFile(ifPresent: root + "/etc/group")
    let subordinates = try SubordinateUsers.load(root + SubordinateUsers.path, accounts: accounts)
    let table = AccountTable(
      users: users.users, groups: groups.groups(of: users), subordinates: subordinates.rows)
    guard max(table.users.count, table.groups.count, table.subordinates.count) <= rowLimit else {
      throw ConfigurationError(
        file: root + "/etc",
        "passwd, group or subuid has more than \(rowLimit) lines, which is more than kistd takes")
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
