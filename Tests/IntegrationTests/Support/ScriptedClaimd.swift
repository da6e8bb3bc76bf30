import CLinux
import Format
import Foundation
import Host
import KistClient
import TestSupport

/// A store for the fleets of the tests: which host has which claim.
final class ScriptedStore: Sendable {
  private let rows = Locked<[ClaimDigest: (host: HostName, retry: ClaimDigest)]>([:])
  private let manners = Locked(Manner.honest)

  enum Manner {
    case honest
    /// Questions are left without an answer.
    case silent
    /// Whoever asks has it, or another has it, whatever was said before.
    case grantsAll, refusesAll
  }

  var manner: Manner {
    get { manners.withLock { $0 } }
    set { manners.withLock { $0 = newValue } }
  }

  var count: Int { rows.withLock { $0.count } }

  func answer(_ ask: ClaimAsk, of host: HostName) -> ClaimAnswer? {
    let manner = manner
    guard manner != .silent, let stranger = HostName("athens") else { return nil }
    let holdings = rows.withLock { rows in
      ask.claims.map { claim in
        let kept = rows[claim.digest] ?? (host, claim.retryDigest)
        rows[claim.digest] = kept
        let row =
          switch manner {
          case .grantsAll: (host: host, retry: claim.retryDigest)
          case .refusesAll: (host: stranger, retry: ClaimDigest.zero)
          case .honest, .silent: kept
          }
        return ClaimHolding(
          row.host == host ? .thisHost : .anotherHost, ageMilliseconds: 1, retryDigest: row.retry,
          host: row.host)
      }
    }
    return ClaimAnswer(id: ask.id, holdings: holdings)
  }
}

/// What kist-claimd is to a daemon, in the test's own process.
final class ScriptedClaimd: Sendable {
  private let socket: Int32

  /// Connects, says that the store is there, and answers until it hangs up or is hung up on; waits
  /// until the daemon knows.
  init(_ daemon: TestDaemon, _ store: ScriptedStore = ScriptedStore()) throws {
    let socket = kist_unix_socket()
    guard unsafe kist_connect_unix(socket, daemon.claims) == 0 else {
      throw TestDaemon.Failure("\(daemon.claims): errno \(errno)")
    }
    self.socket = socket
    guard Thread.start(on: .ordinary, { Self.serve(socket, store) }) else {
      throw TestDaemon.Failure("no thread")
    }
    try eventually { (try? Client(daemon.services).ready()) != nil }
  }

  func hangUp() { shutdown(socket, Int32(SHUT_RDWR)) }

  deinit {
    hangUp()
    close(socket)
  }

  private static func serve(_ socket: Int32, _ store: ScriptedStore) {
    var input = FrameInput()
    var host: HostName?
    while true {
      let count = input.fill { free in
        unsafe free.withUnsafeMutableBufferPointer {
          unsafe kist_receive(socket, $0.baseAddress, $0.count, 1)
        }
      }
      guard count > 0 else { return }
      while let frame = try? input.next(DaemonFrame.self) {
        switch frame {
        case .hello(let claimant):
          host = claimant.host
          send(.state(isThere: true), to: socket)
        case .ask(let ask):
          if let host, let answer = store.answer(ask, of: host) {
            send(.answer(answer), to: socket)
          }
        }
      }
    }
  }

  private static func send(_ frame: StoreFrame, to socket: Int32) {
    let bytes = frame.encoded
    _ = unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
