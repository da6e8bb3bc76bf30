import Glibc
import Host
import Service

/// Sends a connection's replies, one batch after the other.
///
/// The thread that made the records durable writes the replies. It has other connections to serve,
/// so if the client does not take them at once, a new thread does the waiting.
final class ReplyLine: @unchecked Sendable {
  let socket: Int32
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var isTaken = false
  private var isBroken = false

  /// The socket must stay open while the line is taken.
  init(_ socket: Int32) { self.socket = socket }

  /// Waits until all replies have left.
  func waitUntilFree() { monitor.withLock { while isTaken { monitor.wait() } } }

  /// Waits until all replies have left, and reserves the line for those of the next batch.
  ///
  /// - Returns: false if they could not be sent or the connection was ended; then nothing more must
  ///   be served.
  func take() -> Bool {
    monitor.withLock {
      while isTaken { monitor.wait() }
      isTaken = !isBroken
      return isTaken
    }
  }

  /// Frees the line of a batch without replies.
  func giveBack() { giveBack(isBroken: false) }

  /// Lets the connection finish what it has received, but read nothing more.
  func stopReading() { shutdown(socket, Int32(SHUT_RD)) }

  /// Ends the connection, unless a request of it is in hand.
  ///
  /// - Returns: whether it ends.
  func endIfIdle() -> Bool {
    let isIdle = monitor.withLock {
      guard !isTaken, !isBroken else { return false }
      isBroken = true
      return true
    }
    if isIdle { shutdown(socket, Int32(SHUT_RDWR)) }
    return isIdle
  }

  /// Writes the replies that the line was taken for, and frees it once all have left.
  func send(_ replies: consuming Replies) {
    let count = replies.bytes.count
    let sent = write(replies.bytes, from: 0, Int32(MSG_DONTWAIT))
    guard sent < count else { return giveBack(isBroken: false) }
    let held = Handover(replies)
    // An ordinary stack will do: the thread hands the replies to the kernel without reading them.
    let isWaitedFor = Thread.start(on: .ordinary) {
      let replies = held.take()
      self.giveBack(isBroken: self.write(replies.bytes, from: sent, 0) < replies.bytes.count)
    }
    if !isWaitedFor { giveBack(isBroken: true) }
  }

  private func giveBack(isBroken: Bool) {
    // The connection's thread may be waiting for input: this ends its wait.
    if isBroken { shutdown(socket, Int32(SHUT_RDWR)) }
    monitor.withLock { (isTaken, self.isBroken) = (false, isBroken) }
    monitor.wakeAll()
  }

  /// - Returns: how many bytes were sent before the client stopped taking them, hung up or was too
  ///   slow.
  private func write(_ bytes: Span<UInt8>, from start: Int, _ flags: Int32) -> Int {
    var sent = start
    while sent < bytes.count {
      let rest = bytes.extracting(droppingFirst: sent)
      let count = unsafe rest.withUnsafeBufferPointer {
        unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | flags)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return sent }
      sent += count
    }
    return sent
  }
}
