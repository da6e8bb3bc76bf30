internal import Glibc
internal import SecretMemory
internal import Service

/// What leaves on a connection, one batch's replies after the other's.
///
/// Whoever made their records durable writes them, and has others to write for: for a caller who does not take them at once a thread of
/// its own waits.
final class ReplyLine: @unchecked Sendable {
  private let socket: Int32
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var isTaken = false
  private var isBroken = false

  /// The socket must stay open as long as somebody has the line.
  init(_ socket: Int32) { self.socket = socket }

  /// Waits until all replies have left.
  ///
  /// - Returns: false where they could not, and nothing more is to be served.
  @discardableResult func waitUntilFree() -> Bool {
    monitor.withLock {
      while isTaken { monitor.wait() }
      return !isBroken
    }
  }

  /// Takes the line for the replies that come next.
  func take() { monitor.withLock { isTaken = true } }

  /// Writes what the line was taken for, and gives it back once all has left.
  func send(_ replies: consuming Replies) {
    let count = replies.bytes.count
    let sent = write(replies.bytes, from: 0, Int32(MSG_DONTWAIT))
    guard sent < count else { return giveBack(isBroken: false) }
    let held = Handover(replies)
    // It hands the replies to the kernel and reads nothing of them.
    let isWaitedFor = Thread.start(on: .ordinary) {
      let replies = held.take()
      self.giveBack(isBroken: self.write(replies.bytes, from: sent, 0) < replies.bytes.count)
    }
    if !isWaitedFor { giveBack(isBroken: true) }
  }

  private func giveBack(isBroken: Bool) {
    // The connection's thread may be waiting for more to serve.
    if isBroken { shutdown(socket, Int32(SHUT_RDWR)) }
    monitor.withLock { (isTaken, self.isBroken) = (false, isBroken) }
    monitor.wakeAll()
  }

  /// - Returns: how many bytes have left when the caller takes no more, hangs up or is too slow.
  private func write(_ bytes: Span<UInt8>, from start: Int, _ flags: Int32) -> Int {
    var sent = start
    while sent < bytes.count {
      let rest = bytes.extracting(droppingFirst: sent)
      let count = unsafe rest.withUnsafeBufferPointer { unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | flags) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return sent }
      sent += count
    }
    return sent
  }
}
