internal import CLinux
internal import Glibc

/// A Unix socket that accepts connections.
package struct Listener: ~Copyable, Sendable {
  package let descriptor: Int32
  /// The socket file to remove at the end; nil if the service manager owns the socket.
  package let path: String?

  package enum Failure: Error, Hashable, Sendable {
    /// Another daemon already answers at this path.
    case inUse
    case system(call: String, errno: Int32)
  }

  /// Adopts a socket that the service manager handed over.
  package init(adopting descriptor: Int32) { (self.descriptor, path) = (descriptor, nil) }

  /// Binds `path` with this owner, group and mode; a stale socket file, at which nobody answers, is replaced.
  ///
  /// - Parameters:
  ///   - owner: left unchanged if nil, and likewise the group.
  ///   - mode: permission bits.
  package static func bind(path: String, owner: UInt32?, group: UInt32?, mode: UInt32) throws(Failure) -> Listener {
    try removeStale(path)
    let listener = Listener(descriptor: try bound(path), path: path)
    // Root must not give away a file that somebody put in the socket's place.
    guard unsafe kist_give_socket(path, owner ?? UInt32.max, group ?? UInt32.max, mode) == 0 else {
      throw .system(call: "giving the socket to its owner", errno: errno)
    }
    guard listen(listener.descriptor, 128) == 0 else { throw .system(call: "listen", errno: errno) }
    return listener
  }

  private init(descriptor: Int32, path: String) { (self.descriptor, self.path) = (descriptor, path) }

  deinit {
    close(descriptor)
    if let path { unsafe unlink(path) }
  }

  private static func bound(_ path: String) throws(Failure) -> Int32 {
    let descriptor = kist_unix_socket()
    guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
    // Nobody may connect before owner and mode are set.
    let mask = umask(0o777)
    let bound = unsafe kist_bind_unix(descriptor, path)
    let bindError = errno
    umask(mask)
    guard bound == 0 else {
      close(descriptor)
      throw .system(call: "bind", errno: bindError)
    }
    return descriptor
  }

  private static func removeStale(_ path: String) throws(Failure) {
    let probe = kist_unix_socket()
    guard probe >= 0 else { throw .system(call: "socket", errno: errno) }
    defer { close(probe) }
    guard unsafe kist_connect_unix(probe, path) != 0 else { throw .inUse }
    if errno == ECONNREFUSED { unsafe unlink(path) }
  }
}
