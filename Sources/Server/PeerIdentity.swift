internal import CLinux
package import Configuration
internal import Glibc
package import Policy
internal import Threads

/// Who is at the other end of a Unix socket, from the kernel alone [SRV-1].
///
/// The process id of `SO_PEERCRED` can be reused. So unit and executable are read through the peer's pidfd, and believed only if
/// the same process still lives afterwards; otherwise they are nil and match no grant.
package struct PeerIdentity: Sendable {
  /// The slices in which only the system's service manager makes services and scopes.
  private let slices: Set<String>
  private let subordinates: SubordinateUsers

  /// Why a caller cannot be identified.
  package enum Refusal: Error, Hashable, Sendable {
    /// The kernel does not tell the user or all of the groups: its error number.
    case untold(Int32)
    /// /etc/subuid gives the user's id to several accounts.
    case disputed(uid: UInt32)
  }

  package init(slices: Set<String>, subordinates: SubordinateUsers) { (self.slices, self.subordinates) = (slices, subordinates) }

  /// Whether this kernel can identify units and executables. Asked once, while the process can still make sockets.
  package static let tellsProcesses = kist_has_peer_pidfd() == 1

  /// The caller at the other end.
  package func caller(at socket: Int32) throws(Refusal) -> Caller {
    var peer = kist_peer()
    guard unsafe kist_peer_credentials(socket, &peer) == 0 else { throw .untold(errno) }
    let owner: UInt32?
    switch subordinates.ownership(of: peer.uid) {
    case .account: owner = nil
    case .subordinate(of: let account): owner = account
    case .disputed: throw .disputed(uid: peer.uid)
    }
    let groups = try Self.groups(socket: socket)
    let (unit, executable) = process(socket: socket)
    return Caller(uid: peer.uid, gid: peer.gid, groups: groups, pid: peer.pid, unit: unit, executable: executable, owner: owner)
  }

  /// The kernel's NGROUPS_MAX.
  private static let maximumGroups = 65_536

  /// All of the peer's groups; a partial list is refused, since policy would take the caller for somebody else.
  private static func groups(socket: Int32) throws(Refusal) -> [UInt32] {
    var groups = [UInt32](repeating: Principal.overflow, count: 64)
    var count = 0
    while unsafe kist_peer_groups(socket, &groups, groups.count, &count) != 0 {
      guard errno == ERANGE, count > groups.count, count <= maximumGroups else { throw .untold(errno) }
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
    let unit = ProcFile.read("/proc/\(pid)/cgroup").flatMap { Self.unit(inControlGroup: $0, below: slices) }
    let executable = ProcFile.target(of: "/proc/\(pid)/exe")
    guard kist_pidfd_pid(pidfd) == pid else { return (nil, nil) }
    return (unit, executable)
  }

  /// The outermost service or scope in the text of `/proc/PID/cgroup`, version 2: `0::/system.slice/web.service/worker`.
  ///
  /// Anyone may make control groups of any name below their own unit, so only slices may come before it, one of `slices` among them.
  package static func unit(inControlGroup text: String, below slices: Set<String>) -> String? {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
    let names = line.dropFirst(4).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let outer = names.prefix { $0.hasSuffix(".slice") }
    guard outer.contains(where: slices.contains), let unit = names.dropFirst(outer.count).first else { return nil }
    return unit.hasSuffix(".service") || unit.hasSuffix(".scope") ? unit : nil
  }
}

/// The `PeerIdentity` in force; a reload replaces it.
package final class IdentityInForce: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var current: PeerIdentity
  private let names: UserNames

  package init(_ identity: PeerIdentity, _ names: UserNames) { (current, self.names) = (identity, names) }

  /// The caller at the other end, with its names.
  package func caller(at socket: Int32) throws(PeerIdentity.Refusal) -> Caller {
    let identity = lock.withLock { current }
    return try identity.caller(at: socket).named(by: names.name)
  }

  /// For connections that are accepted from now on.
  package func replace(with next: PeerIdentity) { lock.withLock { current = next } }
}
