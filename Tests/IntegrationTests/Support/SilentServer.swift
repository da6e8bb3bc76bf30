import CLinux
import Format
import Foundation
import TestSupport

/// Takes one request and never answers; who first asks for the daemon's state or its shares is told
/// that this may not be known.
final class SilentServer: Sendable {
  let path =
    FileManager.default.temporaryDirectory.path + "/kist-silent-\(UUID().uuidString.prefix(8)).sock"
  private let received = Locked<[UInt8]>([])
  private let isThere = DispatchSemaphore(value: 0)

  init() throws {
    let listener = kist_unix_socket()
    guard unsafe kist_bind_unix(listener, path) == 0, listen(listener, 1) == 0 else {
      throw TestDaemon.Failure("cannot listen")
    }
    Foundation.Thread.detachNewThread { [self] in
      let socket = kist_accept(listener)
      var request = Self.next(on: socket)
      while let header = Self.header(of: request),
        [.status, .shareProgress].map(\Opcode.rawValue).contains(header.opcode)
      {
        var reply = [UInt8](
          repeating: 0, count: RequestHeader.lengthByteCount + ReplyHeader.byteCount)
        var span = reply.mutableSpan
        ReplyHeader(
          status: .denied, opcode: header.opcode, requestID: header.requestID,
          auditSequence: ReplyHeader.unaudited
        ).encode(bodyCount: 0, into: &span)
        unsafe _ = send(socket, reply, reply.count, Int32(MSG_NOSIGNAL))
        request = Self.next(on: socket)
      }
      received.withLock { $0 = request }
      isThere.signal()
    }
  }

  /// Requests are small, and come in one piece each.
  private static func next(on socket: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(socket, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, count)))
  }

  private static func header(of request: [UInt8]) -> RequestHeader? {
    guard request.count >= RequestHeader.lengthByteCount else { return nil }
    return try? RequestHeader(
      request.span.extracting(RequestHeader.lengthByteCount..<request.count))
  }

  func request() -> [UInt8] {
    _ = isThere.wait(timeout: .now() + 60)
    return received.withLock { $0 }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
