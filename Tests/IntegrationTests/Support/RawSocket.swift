import CLinux
import Format
import Foundation
import KistClient

/// A connection that sends whatever bytes it is told to.
final class RawSocket: Sendable {
  private let descriptor: Int32

  init(_ endpoint: Endpoint) throws {
    descriptor = kist_unix_socket()
    guard unsafe kist_connect_unix(descriptor, endpoint.path) == 0 else {
      throw TestDaemon.Failure("cannot connect: \(errno)")
    }
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// - Returns: false when the daemon has hung up.
  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next reply's header, or nil when the daemon has hung up.
  func reply() throws -> ReplyHeader? { try replyWithBody()?.header }

  func replyWithBody() throws -> (header: ReplyHeader, body: [UInt8])? {
    guard let prefix = try read(RequestHeader.lengthByteCount) else { return nil }
    let count = prefix.reduce(0) { $0 << 8 | Int($1) }
    guard let frame = try read(count) else { return nil }
    let bytes = frame.span
    return (try ReplyHeader(bytes), Array(frame.dropFirst(ReplyHeader.byteCount)))
  }

  private func read(_ count: Int) throws -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var part = [UInt8](repeating: 0, count: count - bytes.count)
      let got = unsafe recv(descriptor, &part, part.count, 0)
      guard got >= 0 || errno != EAGAIN else {
        throw TestDaemon.Failure("neither a reply nor a hang-up")
      }
      guard got > 0 else { return nil }
      bytes += part.prefix(got)
    }
    return bytes
  }

  /// A whole request frame.
  static func frame(_ opcode: Opcode, requestID: UInt64 = 1, key: KeyID = .none, body: [UInt8] = [])
    -> [UInt8]
  {
    var bytes = [UInt8](
      repeating: 0, count: RequestHeader.lengthByteCount + RequestHeader.byteCount)
    var span = bytes.mutableSpan
    RequestHeader(opcode: opcode.rawValue, requestID: requestID, key: key).encode(
      bodyCount: body.count, into: &span)
    return bytes + body
  }
}
