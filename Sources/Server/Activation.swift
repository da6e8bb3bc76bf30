internal import Glibc

/// Socket activation: descriptors from the service manager by the `sd_listen_fds(3)` protocol, named `kist`, `admin` and `claims`.
package enum Activation {
  /// The descriptor handed over under this name, or nil.
  package static func descriptor(named name: String) -> Int32? {
    guard variable("LISTEN_PID").flatMap({ Int32($0) }) == getpid(), let count = variable("LISTEN_FDS").flatMap({ Int32($0) }), count > 0
    else { return nil }
    let names = variable("LISTEN_FDNAMES")?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard let index = names.firstIndex(where: { $0 == name }), index < Int(count) else { return nil }
    let descriptor = firstDescriptor + Int32(index)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  private static let firstDescriptor: Int32 = 3

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
