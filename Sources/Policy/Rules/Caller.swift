package import Format

/// The peer of a connection, as the kernel identifies it.
package struct Caller: Hashable, Sendable {
  package let uid: UInt32
  package let gid: UInt32
  /// Supplementary groups.
  package let groups: [UInt32]
  /// Groups of the process that the account database no longer gives its user: no grant goes by
  /// them.
  package let revoked: Set<UInt32>
  package let pid: Int32
  /// The systemd unit of the peer's control group, found through its pidfd; nil if there is none.
  package let unit: String?
  /// The path of the peer's executable; nil if it cannot be read.
  package let executable: String?
  /// The account that owns a subordinate uid (/etc/subuid); nil if the uid is an account's own.
  package let owner: UInt32?
  /// What uid and owner are called, for the record alone: policy goes by numbers. Nil where nobody
  /// knows.
  package let name, ownerName: String?

  package init(
    uid: UInt32, gid: UInt32, groups: [UInt32] = [], pid: Int32, unit: String? = nil,
    executable: String? = nil, owner: UInt32? = nil,
    name: String? = nil, ownerName: String? = nil, revoked: Set<UInt32> = []
  ) {
    self.uid = uid
    self.gid = gid
    self.groups = groups
    self.pid = pid
    self.unit = unit
    self.executable = executable
    self.owner = owner
    self.name = name
    self.ownerName = ownerName
    self.revoked = revoked
  }

  /// The same caller with the names that `name` finds for its numbers, and without these groups.
  package func named(by name: (UInt32) -> String?, without revoked: Set<UInt32>) -> Caller {
    Caller(
      uid: uid, gid: gid, groups: groups, pid: pid, unit: unit, executable: executable,
      owner: owner,
      name: name(uid), ownerName: owner.flatMap(name), revoked: revoked)
  }

  /// The account that is responsible, whatever the uid: approvals, rates, quotas and caps go by it.
  package var person: UInt32 { owner ?? uid }
  /// What that account is called; nil where nobody knows.
  package var personName: String? { owner == nil ? name : ownerName }
}

/// The callers that a grant names.
///
/// Every kind that is stated (not empty) must match: one of its users, *and* one of its groups,
/// *and* one of its units, *and* one of its executables. A kind that is not stated matches every
/// caller, with one exception: root matches only if `users` names it. Units and executables do not
/// identify an account, so a rule must also state users or groups.
package struct CallerRule: Hashable, Sendable {
  package let users: [Principal]
  package let groups: [Principal]
  /// systemd units, such as `acme-gateway.service`.
  package let units: [String]
  /// Absolute paths.
  package let executables: [String]

  package init(
    users: [Principal] = [], groups: [Principal] = [], units: [String] = [],
    executables: [String] = []
  ) {
    self.users = users
    self.groups = groups
    self.units = units
    self.executables = executables
  }

  /// Whether a grant can name this unit: printable ASCII, so that it compares byte for byte with
  /// what the kernel reports.
  package static func isUnit(_ name: String) -> Bool { isPlainName(name) }

  static func isPlainName(_ text: String) -> Bool {
    (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Whether it states users or groups.
  var namesAccounts: Bool { !users.isEmpty || !groups.isEmpty }

  /// Whether it needs a kernel with `SO_PEERPIDFD`.
  package var asksForProcess: Bool { !units.isEmpty || !executables.isEmpty }
}

extension Caller {
  /// Whether the kernel could not identify the caller.
  var isOverflow: Bool { uid == Principal.overflow || gid == Principal.overflow }

  /// The primary group and the supplementary ones that count; empty for a subordinate uid, which
  /// keeps its owner's groups.
  package var allGroups: [UInt32] {
    guard owner == nil else { return [] }
    return revoked.isEmpty ? [gid] + groups : ([gid] + groups).filter { !revoked.contains($0) }
  }
}

/// Names compare as bytes.
///
/// `String` treats canonically equivalent texts as equal (the Kelvin sign and `K`), but the kernel
/// does not. Names in policies are ASCII, so any other name matches nothing.
extension String {
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

/// A user or a group: the id, which decides, and the name that it was written with.
package struct Principal: Message, Sendable {
  package private(set) var id: UInt32 = 0
  /// The name in the policy file; nil if the file gives the number.
  package private(set) var name: String?

  package init() {}
  package init(id: UInt32, name: String? = nil) {
    self.id = id
    self.name = name
  }

  package static let root: UInt32 = 0

  /// The kernel's stand-in for an id of a user namespace that is not mapped here: it may be
  /// anybody.
  package static let overflow: UInt32 = 65_534

  /// Whether the id belongs to a single account; the overflow id and `(uid_t)-1` do not.
  package var namesSomebody: Bool { id != Self.overflow && id != UInt32.max }
}

extension Principal {
  /// As it travels to the program that decides.
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    // Root's number is there, too.
    var number: UInt32? = id
    try visitor.uint32(1, "id", &number)
    var text = name ?? ""
    try visitor.text(2, "name", &text, .atMost(256))
    guard let number else { throw .badValue(1) }
    id = number
    name = text.isEmpty ? nil : text
  }
}

extension Principal: Hashable {
  /// Two names for one id are the same principal.
  package static func == (a: Principal, b: Principal) -> Bool { a.id == b.id }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Principal: CustomStringConvertible {
  /// `1001 acme-gateway`, or `1001`.
  package var description: String { name.map { "\(id) \($0)" } ?? "\(id)" }
}

/// The socket by which a caller came; an operation may be available on one alone.
package enum SocketKind: String, Sendable { case services, operators }
