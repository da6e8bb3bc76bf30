internal import CLinux
internal import Glibc
package import Policy

/// Who is at the other end of a Unix socket, from the kernel alone [SRV-1].
///
/// The process id of `SO_PEERCRED` can be reused, so unit and executable are read through the peer's pidfd and
/// believed only if the same process still lives afterwards; where that fails they are nil and match no grant.
package enum PeerIdentity {
  /// The caller, or nil where the kernel does not tell.
  package static func of(socket: Int32) -> Caller? {
    var peer = kist_peer()
    guard unsafe kist_peer_credentials(socket, &peer) == 0 else { return nil }
    let (unit, executable) = process(socket: socket)
    return Caller(
      uid: peer.uid, gid: peer.gid, groups: groups(socket: socket), pid: peer.pid, unit: unit, executable: executable)
  }

  private static func groups(socket: Int32) -> [UInt32] {
    let capacity = 64
    return unsafe [UInt32](unsafeUninitializedCapacity: capacity) { buffer, count in
      count = max(0, min(capacity, Int(unsafe kist_peer_groups(socket, buffer.baseAddress, Int32(capacity)))))
    }
  }

  private static func process(socket: Int32) -> (unit: String?, executable: String?) {
    let pidfd = kist_peer_pidfd(socket)
    guard pidfd >= 0 else { return (nil, nil) }
    defer { close(pidfd) }
    let pid = kist_pidfd_pid(pidfd)
    guard pid > 0 else { return (nil, nil) }
    let unit = ProcFile.read("/proc/\(pid)/cgroup").flatMap(unit(inControlGroup:))
    let executable = ProcFile.target(of: "/proc/\(pid)/exe")
    guard kist_pidfd_pid(pidfd) == pid else { return (nil, nil) }
    return (unit, executable)
  }

  /// The innermost service or scope in the text of `/proc/PID/cgroup`, version 2: `0::/system.slice/web.service`.
  package static func unit(inControlGroup text: String) -> String? {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::") }) else { return nil }
    let names = line.split(separator: "/").dropFirst()
    return names.last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }.map(String.init)
  }
}
