import CLinux
import Glibc
import Host

/// Closes connections that have no place, on ordinary threads: one for each user at most.
///
/// Descriptors that a client sent and nobody has read are closed with the socket. That can take as
/// long as the client likes: a TCP socket with SO_LINGER waits for its peer. Meanwhile this user's
/// other sockets wait, each with its descriptor; what they were to be told has left.
final class Closer: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var waiting: [UInt32?: [Int32]] = [:]
  /// The users that a thread closes for.
  private var served: Set<UInt32?> = []

  /// Hangs up and takes the socket.
  ///
  /// - Parameters:
  ///   - mayCarry: whether descriptors may wait in it.
  ///   - user: nil if it is not known.
  func close(_ socket: Int32, mayCarry: Bool, of user: UInt32?) {
    guard mayCarry, Self.mayTake(socket) else {
      Glibc.close(socket)
      return
    }
    shutdown(socket, Int32(SHUT_RDWR))
    let isFirst = lock.withLock {
      waiting[user, default: []].append(socket)
      return served.insert(user).inserted
    }
    guard isFirst,
      !Thread.start(on: .ordinary, { while let next = self.next(of: user) { Glibc.close(next) } })
    else { return }
    // They are closed with this user's next one.
    lock.withLock { _ = served.remove(user) }
  }

  /// Whether closing may take as long as the client likes: whether it has sent what nobody has
  /// read.
  static func mayTake(_ socket: Int32) -> Bool {
    // From now on nothing more comes.
    shutdown(socket, Int32(SHUT_RD))
    var byte: UInt8 = 0
    return unsafe kist_receive(socket, &byte, 1, 1) != 0
  }

  private func next(of user: UInt32?) -> Int32? {
    lock.withLock {
      if let next = waiting[user]?.popLast() { return next }
      waiting[user] = nil
      served.remove(user)
      return nil
    }
  }
}
