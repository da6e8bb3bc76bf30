import CLinux
import Format
import Glibc
import Host

/// A connection to `claims.sock`: one thread receives, and any thread sends.
@safe final class DaemonSocket: AskingPeer, @unchecked Sendable {
  private let descriptor: Int32
  private let lock = Lock()
  /// Guarded by `lock`.
  private var isBroken = false

  /// Nil with `errno` if there is nobody to connect to.
  init?(_ path: String) {
    descriptor = kist_unix_socket()
    guard descriptor >= 0 else { return nil }
    // Whoever does not read is hung up on, rather than waited for by the store's thread.
    var limit = timeval(tv_sec: 1, tv_usec: 0)
    guard
      unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0,
      unsafe kist_connect_unix(descriptor, path) == 0
    else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns how many bytes came, 0 at the end, and less on an error, which descriptors in a
  /// message are, too.
  func receive(into free: inout MutableSpan<UInt8>) -> Int {
    unsafe free.withUnsafeMutableBytes { buffer in
      while true {
        let count = unsafe kist_receive(descriptor, buffer.baseAddress, buffer.count, 1)
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }

  func send(_ frame: StoreFrame) {
    let bytes = frame.encoded
    lock.withLock {
      guard !isBroken else { return }
      isBroken = !sendAll(bytes)
      if isBroken { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Wakes whoever receives.
  func hangUp() {
    lock.withLock {
      isBroken = true
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  private func sendAll(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { all in
        unsafe Glibc.send(
          descriptor, all.baseAddress?.advanced(by: sent), all.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
