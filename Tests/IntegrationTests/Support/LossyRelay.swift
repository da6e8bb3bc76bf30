import CLinux
import Foundation
import KistClient
import TestSupport

/// Stands between a client and the daemon, and loses the replies on the first connections: it takes
/// each, and hangs up. To later ones it gives the daemon's reply, or another in its place.
final class LossyRelay: Sendable {
  let endpoint: Endpoint
  private let counted = Locked<Int>(0)
  private let daemon: Endpoint
  private let losses: Int
  private let answer: [UInt8]?

  var connections: Int { counted.withLock { $0 } }

  init(to daemon: Endpoint, losing losses: Int, answering answer: [UInt8]? = nil) throws {
    endpoint = Endpoint(
      path: FileManager.default.temporaryDirectory.path
        + "/kist-lossy-\(UUID().uuidString.prefix(8)).sock")
    self.daemon = daemon
    self.losses = losses
    self.answer = answer
    let listener = kist_unix_socket()
    guard unsafe kist_bind_unix(listener, endpoint.path) == 0, listen(listener, 8) == 0 else {
      throw TestDaemon.Failure("cannot listen")
    }
    Foundation.Thread.detachNewThread { [self] in
      while true { serve(kist_accept(listener)) }
    }
  }

  /// Carries one request and its reply, one after the other, each of which is small.
  private func serve(_ client: Int32) {
    defer { close(client) }
    let number = counted.withLock {
      $0 += 1
      return $0
    }
    let server = kist_unix_socket()
    defer { close(server) }
    guard unsafe kist_connect_unix(server, daemon.path) == 0 else { return }
    let request = take(client)
    if number > losses, let answer { return give(answer, client) }
    give(request, server)
    // The reply has come, so the record is durable.
    if number <= losses { return waitForByte(server) }
    give(take(server), client)
  }

  private func take(_ source: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 17)
    let count = unsafe recv(source, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(count, 0)))
  }

  private func give(_ bytes: [UInt8], _ target: Int32) {
    if !bytes.isEmpty { unsafe _ = send(target, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  private func waitForByte(_ source: Int32) {
    var byte: UInt8 = 0
    unsafe _ = recv(source, &byte, 1, 0)
  }
}
