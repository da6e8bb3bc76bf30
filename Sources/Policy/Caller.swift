/// The peer of a connection, as the kernel identifies it.
package struct Caller: Hashable, Sendable {
  package let uid: UInt32
  package let gid: UInt32
  /// Supplementary groups.
  package let groups: [UInt32]
  package let pid: Int32
  /// The systemd unit of the peer's control group, found through its pidfd; nil if there is none.
  package let unit: String?
  /// The path of the peer's executable; nil if it cannot be read.
  package let executable: String?
  /// The account that owns a subordinate uid (/etc/subuid); nil if the uid is an account's own.
  package let owner: UInt32?

  package init(
    uid: UInt32, gid: UInt32, groups: [UInt32] = [], pid: Int32, unit: String? = nil, executable: String? = nil, owner: UInt32? = nil
  ) {
    (self.uid, self.gid, self.groups, self.pid, self.unit, self.executable) = (uid, gid, groups, pid, unit, executable)
    self.owner = owner
  }

  /// The account that is responsible, whatever the uid: approvals, rates, quotas and caps go by it.
  package var person: UInt32 { owner ?? uid }
}
