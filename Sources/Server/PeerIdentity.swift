import CLinux
import Format
import Glibc
import Host
import Operations
import Policy

/// Who is at the other end of a Unix socket, from the kernel alone [SRV-1].
///
/// The process id of `SO_PEERCRED` can be reused. So unit and executable are read through the
/// peer's pidfd, and believed only if the same process still lives afterwards; otherwise they are
/// nil and match no grant.
struct PeerIdentity: Sendable {
  /// The slices in which only the system's service manager makes services and scopes.
  private let slices: Set<String>
  fileprivate var accounts: AccountTable
  /// The users whom policy names, of whom some may be a directory's.
  private let named: [UInt32: String]

  /// Why a caller cannot be identified.
  enum Refusal: Error, Hashable {
    /// The kernel does not tell the user or all of the groups: its error number.
    case untold(Int32)
    /// /etc/subuid gives the user's id to several accounts.
    case disputed(uid: UInt32)
  }

  init(slices: Set<String>, accounts: AccountTable, _ policy: Policy = .empty) {
    self.slices = slices
    self.accounts = accounts
    let users = policy.rules.flatMap(\.callers.users).compactMap { user in
      user.name.map { (user.id, $0) }
    }
    named = Dictionary(users) { min($0, $1) }
  }

  /// Whether this kernel can identify units and executables. Asked once, while the process can
  /// still make sockets.
  static let tellsProcesses = kist_has_peer_pidfd() == 1

  /// The caller at the other end.
  func caller(at socket: Int32) throws(Refusal) -> Caller {
    var peer = kist_peer()
    guard unsafe kist_peer_credentials(socket, &peer) == 0 else { throw .untold(errno) }
    let owner = try owner(of: peer.uid)
    let groups = try Self.groups(socket: socket)
    let (unit, executable) = process(socket: socket)
    return Caller(
      uid: peer.uid, gid: peer.gid, groups: groups, pid: peer.pid, unit: unit,
      executable: executable, owner: owner)
  }

  /// The account that owns a subordinate uid; nil if the uid is an account's own.
  fileprivate func owner(of uid: UInt32) throws(Refusal) -> UInt32? {
    switch accounts.ownership(of: uid) {
    case .account: nil
    case .subordinate(of: let account): account
    case .disputed: throw .disputed(uid: uid)
    }
  }

  /// What the user is called, for the log; nil for a number that nobody knows.
  fileprivate func name(of uid: UInt32) -> String? { accounts.name(of: uid) ?? named[uid] }

  fileprivate func uid(of name: String) -> UInt32? {
    accounts.uid(of: name) ?? named.first { $0.value == name }?.key
  }

  fileprivate func revoked(from caller: Caller, on kind: SocketKind) -> Set<UInt32> {
    kind == .operators ? accounts.revoked([caller.gid] + caller.groups, from: caller.uid) : []
  }

  /// The kernel's NGROUPS_MAX.
  private static let maximumGroups = 65_536

  /// All of the peer's groups; a partial list is refused, since policy would take the caller for
  /// somebody else.
  private static func groups(socket: Int32) throws(Refusal) -> [UInt32] {
    var groups = [UInt32](repeating: Principal.overflow, count: 64)
    var count = 0
    while unsafe kist_peer_groups(socket, &groups, groups.count, &count) != 0 {
      guard errno == ERANGE, count > groups.count, count <= maximumGroups else {
        throw .untold(errno)
      }
      groups = [UInt32](repeating: Principal.overflow, count: count)
    }
    return Array(groups.prefix(count))
  }

  private func process(socket: Int32) -> (unit: String?, executable: String?) {
    let pidfd = kist_peer_pidfd(socket)
    guard pidfd >= 0 else { return (nil, nil) }
    defer { close(pidfd) }
    let pid = kist_pidfd_pid(pidfd)
    guard pid > 0 else { return (nil, nil) }
    let unit = ProcFile.read("/proc/\(pid)/cgroup").flatMap {
      Self.unit(inControlGroup: $0, below: slices)
    }
    let executable = ProcFile.target(of: "/proc/\(pid)/exe")
    guard kist_pidfd_pid(pidfd) == pid else { return (nil, nil) }
    return (unit, executable)
  }

  /// The outermost service or scope in the text of `/proc/PID/cgroup`, version 2:
  /// `0::/system.slice/web.service/worker`.
  ///
  /// Anyone may make control groups of any name below their own unit, so only slices may come
  /// before it, one of `slices` among them.
  static func unit(inControlGroup text: String, below slices: Set<String>) -> String? {
    guard let line = text.lines().first(where: { $0.hasPrefix("0::/") }) else { return nil }
    let names = line.dropFirst(4).split(separator: "/", omittingEmptySubsequences: false).map(
      String.init)
    let outer = names.prefix { $0.hasSuffix(".slice") }
    guard outer.contains(where: slices.contains), let unit = names.dropFirst(outer.count).first
    else { return nil }
    return unit.hasSuffix(".service") || unit.hasSuffix(".scope") ? unit : nil
  }
}

/// The `PeerIdentity` in force, which a reload replaces.
final class IdentityInForce: @unchecked Sendable {
  private let nanoseconds: @Sendable () -> Int64
  private let lock = Lock()
  /// Guarded by `lock`.
  private var current: PeerIdentity

  /// - Parameter nanoseconds: a clock that only goes forward.
  init(_ identity: PeerIdentity, nanoseconds: @escaping @Sendable () -> Int64) {
    current = identity
    self.nanoseconds = nanoseconds
  }

  /// The caller at the other end, with its names. On the operators' socket it has only the groups
  /// that the account files gave it when they were last read.
  func caller(
    at socket: Int32, on kind: SocketKind
  ) throws(PeerIdentity.Refusal) -> Caller {
    let identity = look()
    let caller = try identity.caller(at: socket)
    return caller.named(by: identity.name, without: identity.revoked(from: caller, on: kind))
  }

  func uid(of name: String) -> UInt32? { look().uid(of: name) }

  /// For how long an open connection's caller is taken for who it was, in nanoseconds of the clock.
  struct Confirmation: Sendable {
    fileprivate var next: Int64 = 0
    /// Then the connection is too old.
    fileprivate let end: Int64
  }

  /// For a connection that begins now; an operator's lasts an hour, since of a directory's accounts
  /// nobody tells when they lose a role.
  func unconfirmed(on kind: SocketKind) -> Confirmation {
    Confirmation(end: kind == .operators ? nanoseconds() + 3600 * Self.second : .max)
  }

  /// Whether the caller of an open connection is still who it was; if not, the connection must end
  /// before its next request.
  ///
  /// On the services' socket, where to look for each read would be dear, once a second.
  func confirms(
    _ caller: Caller, on kind: SocketKind, _ last: inout Confirmation
  ) -> Bool {
    let now = nanoseconds()
    guard now >= last.next else { return true }
    last.next = kind == .operators ? now : now + Self.second
    let identity = look()
    guard now < last.end, identity.revoked(from: caller, on: kind) == caller.revoked else {
      return false
    }
    do throws(PeerIdentity.Refusal) {
      return try identity.owner(of: caller.uid) == caller.owner
    } catch { return false }
  }

  /// From now on, also for open connections.
  func replace(with next: PeerIdentity) { lock.withLock { current = next } }

  func replace(with accounts: AccountTable) {
    lock.withLock { current.accounts = accounts }
  }

  private static let second: Int64 = 1_000_000_000

  private func look() -> PeerIdentity { lock.withLock { current } }
}
