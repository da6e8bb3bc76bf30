import CLinux
import Format
import Glibc
import Host

/// One socket to the daemon; sends whole frames and receives whole replies.
@safe final class Connection {
  private let descriptor: Int32
  private var requestID: UInt64 = 0
  /// The time on the monotonic clock by which the current request must be answered; nil for no
  /// limit.
  private var deadline: Int64?
  /// Whether a reply has come, so that the next one is not the connection's first [WIRE-21].
  private(set) var hasAnswered = false

  /// - Parameter timeout: nanoseconds for connecting; nil for no limit.
  init(_ endpoint: Endpoint, timeout: Int64? = nil) throws(ClientError) {
    descriptor = kist_unix_socket()
    guard descriptor >= 0 else { throw .unreachable(path: endpoint.path, errno: errno) }
    // A throw from here on runs deinit, which closes the descriptor; a second close could close
    // another's new descriptor.
    if let timeout { limitConnecting(timeout) }
    guard unsafe kist_connect_unix(descriptor, endpoint.path) == 0 else {
      // The kernel returns EAGAIN if a full backlog did not empty in time.
      throw .unreachable(path: endpoint.path, errno: errno == EAGAIN ? ETIMEDOUT : errno)
    }
  }

  deinit { close(descriptor) }

  /// Starts the time limit, in nanoseconds, for one request and its reply.
  func begin(_ requestID: UInt64, within timeout: Int64?) {
    self.requestID = requestID
    deadline = timeout.map { kist_monotonic_nanoseconds().addingReportingOverflow($0) }.map {
      $0.overflow ? .max : $0.partialValue
    }
  }

  func send(_ frame: Span<UInt8>) throws(ClientError) {
    var sent = 0
    while sent < frame.count {
      let rest = frame.extracting(droppingFirst: sent)
      try wait(for: POLLOUT)
      let flags = Int32(MSG_NOSIGNAL) | (deadline == nil ? 0 : Int32(MSG_DONTWAIT))
      let count = unsafe rest.withUnsafeBufferPointer { bytes in
        unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
      }
      if count < 0, errno == EINTR || deadline != nil && errno == EAGAIN { continue }
      guard count > 0 else { throw .disconnected(request: requestID) }
      sent += count
    }
  }

  /// Receives one reply, its length field stripped.
  func receive(atMost cap: Int) throws(ClientError) -> SecretBuffer {
    var prefix = try Self.buffer(RequestHeader.lengthByteCount)
    try fill(&prefix)
    let length = UInt32(bigEndian: prefix.bytes, at: 0)
    guard length >= ReplyHeader.byteCount, length <= cap else {
      throw .malformedReply(request: requestID)
    }
    var frame = try Self.buffer(Int(length))
    try fill(&frame)
    hasAnswered = true
    return frame
  }

  static func buffer(_ count: Int) throws(ClientError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch {
      throw .secretMemory
    }
  }

  private func fill(_ buffer: inout SecretBuffer) throws(ClientError) {
    var received = 0
    while received < buffer.count {
      try wait(for: POLLIN)
      let missing = received..<buffer.count
      var bytes = buffer.mutableBytes
      var rest = bytes._mutatingExtracting(missing)
      let count = unsafe rest.withUnsafeMutableBufferPointer {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .disconnected(request: requestID) }
      received += count
    }
  }

  /// Waits until the socket is ready or the request's time is over; after a time-out, replies can
  /// no longer be matched to requests.
  private func wait(for event: Int32) throws(ClientError) {
    guard let deadline else { return }
    while true {
      let left = deadline - kist_monotonic_nanoseconds()
      guard left > 0 else { break }
      var state = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      let ready = unsafe poll(&state, 1, Int32(clamping: left / 1_000_000 + 1))
      if ready > 0 { return }
      guard ready == 0 || errno == EINTR else { throw .disconnected(request: requestID) }
    }
    shutdown(descriptor, Int32(SHUT_RDWR))
    throw .timedOut(request: requestID)
  }

  /// Sets the socket's send time-out, which `connect` obeys.
  private func limitConnecting(_ nanoseconds: Int64) {
    var time = timeval(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_usec: Int(nanoseconds % 1_000_000_000 / 1000))
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }
}
