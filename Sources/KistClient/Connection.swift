internal import CLinux
internal import Glibc
internal import SecretMemory
internal import Wire

/// One socket to the daemon; sends whole frames and receives whole replies.
@safe final class Connection {
  private let descriptor: Int32

  init(_ endpoint: Endpoint) throws(ClientError) {
    descriptor = kist_unix_socket()
    guard descriptor >= 0 else { throw .unreachable(errno: errno) }
    // A throw from here on runs deinit, which closes; closing here too would close somebody else's next descriptor.
    guard unsafe kist_connect_unix(descriptor, endpoint.path) == 0 else { throw .unreachable(errno: errno) }
  }

  deinit { close(descriptor) }

  func send(_ frame: Span<UInt8>) throws(ClientError) {
    var sent = 0
    while sent < frame.count {
      let rest = frame.extracting(droppingFirst: sent)
      let count = unsafe rest.withUnsafeBufferPointer { bytes in unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .disconnected }
      sent += count
    }
  }

  /// Receives one reply, its length field stripped.
  func receive(atMost cap: Int) throws(ClientError) -> SecretBuffer {
    var prefix = try Self.buffer(RequestHeader.lengthByteCount)
    try fill(&prefix)
    let length = UInt32(bigEndian: prefix.bytes, at: 0)
    guard length >= ReplyHeader.byteCount, length <= cap else { throw .malformedReply }
    var frame = try Self.buffer(Int(length))
    try fill(&frame)
    return frame
  }

  static func buffer(_ count: Int) throws(ClientError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw .secretMemory }
  }

  private func fill(_ buffer: inout SecretBuffer) throws(ClientError) {
    var received = 0
    while received < buffer.count {
      let missing = received..<buffer.count
      var bytes = buffer.mutableBytes
      var rest = bytes._mutatingExtracting(missing)
      let count = unsafe rest.withUnsafeMutableBufferPointer { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .disconnected }
      received += count
    }
  }
}
