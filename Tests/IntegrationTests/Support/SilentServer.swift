import CLinux
import Foundation
import TestSupport

/// Takes one request and never answers.
final class SilentServer: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/kist-silent-\(UUID().uuidString.prefix(8)).sock"
  private let received = Locked<[UInt8]>([])
  private let isThere = DispatchSemaphore(value: 0)

  init() throws {
    let listener = kist_unix_socket()
    guard unsafe kist_bind_unix(listener, path) == 0, listen(listener, 1) == 0 else { throw TestDaemon.Failure("cannot listen") }
    Foundation.Thread.detachNewThread { [self] in
      let socket = kist_accept(listener)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = unsafe recv(socket, &bytes, bytes.count, 0)
      received.withLock { $0 = Array(bytes.prefix(max(0, count))) }
      isThere.signal()
    }
  }

  func request() -> [UInt8] {
    _ = isThere.wait(timeout: .now() + 30)
    return received.withLock { $0 }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
