package import Format

/// Who a caller is to the daemon, and what it may do.
public struct CallerRights: Hashable, Sendable {
  /// What one grant gives.
  public struct Grant: Hashable, Sendable {
    public let id: String
    public let operations: [String]
    /// Labels, and prefixes that end in `*`.
    public let keys: [String]
    /// Fields of tokens and secrets of primitives.
    public let released: [String]
    /// Whether the caller learns at which check it was rejected.
    public let showsStage: Bool
    /// Such as `200/s`; nil if there is none.
    public let rate, quota, keyQuota: String?
    /// Seconds since 1970; nil if the grant does not end.
    public let until: Int64?
    /// Hours of UTC such as `mon-fri 08:00-18:00`; empty for all.
    public let hours: [String]

    init(_ right: WhoReply.Right) {
      func stated(_ text: String) -> String? { text.isEmpty ? nil : text }
      (id, operations, keys, released) = (right.grant, right.operations, right.keys, right.released)
      (showsStage, hours) = (right.showsStage, right.hours)
      (rate, quota, keyQuota) = (stated(right.rate), stated(right.quota), stated(right.keyQuota))
      until = right.until == 0 ? nil : Int64(clamping: right.until)
    }
  }

  public let uid, gid: UInt32
  /// The systemd unit that the daemon sees; nil for none.
  public let unit: String?
  /// The grants in force now, in the order in which they decide.
  public let grants: [Grant]
  /// Whether something did not fit the reply.
  public let isCut: Bool

  package init(_ reply: WhoReply) {
    (uid, gid, unit) = (reply.uid, reply.gid, reply.unit.isEmpty ? nil : reply.unit)
    (grants, isCut) = (reply.rights.map(Grant.init), reply.more)
  }
}
