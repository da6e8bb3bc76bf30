/// The peer of a connection, as the kernel identifies it.
package struct Caller: Hashable, Sendable {
  package let uid: UInt32
  package let gid: UInt32
  /// Supplementary groups.
  package let groups: [UInt32]
  /// Groups of the process that the account database no longer gives its user: no grant goes by them.
  package let revoked: Set<UInt32>
  package let pid: Int32
  /// The systemd unit of the peer's control group, found through its pidfd; nil if there is none.
  package let unit: String?
  /// The path of the peer's executable; nil if it cannot be read.
  package let executable: String?
  /// The account that owns a subordinate uid (/etc/subuid); nil if the uid is an account's own.
  package let owner: UInt32?
  /// What uid and owner are called, for the record alone: policy goes by numbers. Nil where nobody knows.
  package let name, ownerName: String?

  package init(
    uid: UInt32, gid: UInt32, groups: [UInt32] = [], pid: Int32, unit: String? = nil, executable: String? = nil, owner: UInt32? = nil,
    name: String? = nil, ownerName: String? = nil, revoked: Set<UInt32> = []
  ) {
    (self.uid, self.gid, self.groups, self.pid, self.unit, self.executable) = (uid, gid, groups, pid, unit, executable)
    (self.owner, self.name, self.ownerName, self.revoked) = (owner, name, ownerName, revoked)
  }

  /// The same caller with the names that `name` finds for its numbers, and without these groups.
  package func named(by name: (UInt32) -> String?, without revoked: Set<UInt32>) -> Caller {
    Caller(
      uid: uid, gid: gid, groups: groups, pid: pid, unit: unit, executable: executable, owner: owner,
      name: name(uid), ownerName: owner.flatMap(name), revoked: revoked)
  }

  /// The account that is responsible, whatever the uid: approvals, rates, quotas and caps go by it.
  package var person: UInt32 { owner ?? uid }
  /// What that account is called; nil where nobody knows.
  package var personName: String? { owner == nil ? name : ownerName }
}
