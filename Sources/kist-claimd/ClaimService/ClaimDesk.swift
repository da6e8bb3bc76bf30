// ClaimService: between `claims.sock` and the store: gathers asks, has them claimed together,
// answers (proto/FLEET.md).
// It knows the frames, the seam to the store and the status file.
// It must not know PostgreSQL, nor what is claimed.

import Format
import Host

/// Whoever asks: the connection to `kistd`.
protocol AskingPeer: AnyObject, Sendable {
  /// Sends nothing once the connection has ended.
  func send(_ frame: StoreFrame)
}

/// Where the connection to `kistd` leaves asks, and the store's thread takes them.
final class ClaimDesk: @unchecked Sendable {
  struct Ask: Sendable {
    let ask: ClaimAsk
    let peer: any AskingPeer
  }

  enum Work: Sendable {
    case asks([Ask])
    /// Nobody asked until the deadline.
    case nothing
    /// The host has another name now, or another run of its daemon, or the program stops.
    case otherHost
  }

  /// The most claims that wait; whoever asks for more is told that the store is away.
  static let waitingLimit = 16_384
  /// The most claims of one transaction.
  static let transactionLimit = 2048

  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var peer: (any AskingPeer)?
  private var host: Claimant?
  /// For which host the store can be asked.
  private var openHost: Claimant?
  private var waiting: [Ask] = []
  private var waitingClaims = 0
  private var isStopping = false

  init() {}

  // MARK: for the connection to kistd

  var hasPeer: Bool { monitor.withLock { peer != nil } }

  /// The store's state is told first, and is away until the peer has said its name.
  func connect(_ peer: any AskingPeer) {
    monitor.withLock {
      self.peer = peer
      peer.send(.state(isThere: false))
    }
  }

  func greet(_ peer: any AskingPeer, _ host: Claimant) {
    monitor.withLock {
      self.host = host
      if openHost == host { peer.send(.state(isThere: true)) }
    }
    monitor.wakeAll()
  }

  func ask(_ ask: ClaimAsk, of peer: any AskingPeer) {
    monitor.withLock {
      guard openHost != nil, openHost == host, waitingClaims + ask.claims.count <= Self.waitingLimit
      else { return peer.send(.away(id: ask.id)) }
      waiting.append(Ask(ask: ask, peer: peer))
      waitingClaims += ask.claims.count
    }
    monitor.wakeAll()
  }

  /// What the peer had asked is away for it [FLEET-SOCK-3].
  func disconnect(_ peer: any AskingPeer) {
    monitor.withLock {
      if self.peer === peer { self.peer = nil }
      waiting.removeAll { $0.peer === peer }
      waitingClaims = waiting.reduce(0) { $0 + $1.ask.claims.count }
    }
  }

  func stop() {
    monitor.withLock { isStopping = true }
    monitor.wakeAll()
  }

  // MARK: for the store's thread

  var isStopped: Bool { monitor.withLock { isStopping } }

  /// The host that the store is to be opened for; nil if the program stops.
  func waitForHost() -> Claimant? {
    monitor.withLock {
      while host == nil, !isStopping { monitor.wait() }
      return isStopping ? nil : host
    }
  }

  func open(for host: Claimant) {
    monitor.withLock {
      openHost = host
      if self.host == host { peer?.send(.state(isThere: true)) }
    }
  }

  /// The store is away, and so is all that waits.
  func shut() {
    monitor.withLock {
      guard openHost != nil else { return }
      openHost = nil
      for ask in waiting { ask.peer.send(.away(id: ask.ask.id)) }
      waiting = []
      waitingClaims = 0
      peer?.send(.state(isThere: false))
    }
  }

  /// All asks in hand, up to a transaction's limit; waits for one.
  func next(until deadline: Int64) -> Work {
    monitor.withLock {
      while waiting.isEmpty, openHost == host, !isStopping, monitor.wait(until: deadline) {}
      guard openHost == host, !isStopping else { return .otherHost }
      guard !waiting.isEmpty else { return .nothing }
      var count = 0
      var claims = 0
      while count < waiting.count, claims + waiting[count].ask.claims.count <= Self.transactionLimit
      {
        claims += waiting[count].ask.claims.count
        count += 1
      }
      defer {
        waiting.removeFirst(count)
        waitingClaims -= claims
      }
      return .asks(Array(waiting.prefix(count)))
    }
  }

  /// Waits as long as nobody stops the program.
  func pause(until deadline: Int64) {
    monitor.withLock { while !isStopping, monitor.wait(until: deadline) {} }
  }
}
