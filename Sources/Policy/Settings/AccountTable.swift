package import Format

/// Who is who on this host: what `kistd` has read of passwd(5), group(5) and subuid(5).
package struct AccountTable: Message, Hashable, Sendable {
  package var users: [UserRow] = []
  package var groups: [GroupRow] = []
  package var subordinates: [SubordinateRow] = []

  package init() {}
  package init(users: [UserRow] = [], groups: [GroupRow] = [], subordinates: [SubordinateRow]) {
    self.users = users
    self.groups = groups
    self.subordinates = subordinates
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.messages(1, "users", "UserRow", &users, atMost: 512, count: Self.rowLimit)
    try visitor.messages(2, "groups", "GroupRow", &groups, atMost: 1 << 19, count: Self.rowLimit)
    try visitor.messages(
      3, "subordinates", "SubordinateRow", &subordinates, atMost: 32, count: Self.rowLimit)
  }

  package static let rowLimit = 65_536
  /// In the runtime directory, for a daemon that runs.
  package static let fileName = "accounts"
}

/// An account's number and one of its names.
package struct UserRow: Message, Hashable, Sendable {
  package var uid: UInt32 = 0
  package var name = ""

  package init() {}
  package init(uid: UInt32, name: String) {
    self.uid = uid
    self.name = name
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "uid", &uid)
    try visitor.text(2, "name", &name, .oneTo(256))
  }
}

/// A group of group(5), and who is in it by that file or by passwd(5).
package struct GroupRow: Message, Hashable, Sendable {
  package var gid: UInt32 = 0
  /// Ascending.
  package var members: [UInt32] = []

  package init() {}
  package init(gid: UInt32, members: [UInt32]) {
    self.gid = gid
    self.members = members
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "gid", &gid)
    try visitor.numbers(2, "members", &members, count: AccountTable.rowLimit)
  }
}

/// User ids that subuid(5) gives to an account.
package struct SubordinateRow: Message, Hashable, Sendable {
  package var first: UInt32 = 0
  package var last: UInt32 = 0
  package var owner: UInt32 = 0

  package init() {}
  package init(_ ids: ClosedRange<UInt32>, of owner: UInt32) {
    first = ids.lowerBound
    last = ids.upperBound
    self.owner = owner
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "first", &first)
    try visitor.uint32(2, "last", &last)
    try visitor.uint32(3, "owner", &owner)
  }

  package func check() throws(WireError) {
    guard first <= last else { throw .badValue(2) }
  }
}

extension AccountTable {
  /// Whose a user id is.
  package enum Ownership: Hashable, Sendable {
    /// The id is an account of its own.
    case account
    case subordinate(of: UInt32)
    /// Several accounts may become it.
    case disputed
  }

  /// A process under a subordinate id counts as its account's owner, who may become any of these
  /// ids at will: newuidmap(1).
  package func ownership(of uid: UInt32) -> Ownership {
    let owners = Set(subordinates.lazy.filter { $0.first <= uid && uid <= $0.last }.map(\.owner))
      .subtracting([uid])
    guard let owner = owners.first else { return .account }
    return owners.count == 1 ? .subordinate(of: owner) : .disputed
  }

  package func name(of uid: UInt32) -> String? { users.first { $0.uid == uid }?.name }

  package func uid(of name: String) -> UInt32? { users.first { $0.name == name }?.uid }

  /// Those of these groups in which the files do not list the user.
  ///
  /// Of a user or a group that is in no file, such as a directory's, they say nothing.
  package func revoked(_ held: [UInt32], from uid: UInt32) -> Set<UInt32> {
    guard name(of: uid) != nil else { return [] }
    return Set(groups.lazy.filter { held.contains($0.gid) && !$0.members.contains(uid) }.map(\.gid))
  }
}
