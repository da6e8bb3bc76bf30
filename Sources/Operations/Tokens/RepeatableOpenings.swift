package import Audit
package import Format
import Host
import KeyStore
package import Policy

/// Remembers the openings that their callers can repeat after a lost reply [OP-OPEN-11]: no
/// plaintext, only a digest of caller and request.
///
/// It keeps two generations, each as long as the longest retry window, and is refilled from the
/// audit log at start.
package final class RepeatableOpenings: @unchecked Sendable {
  /// The keyed digest of caller, grant and request, retry key included.
  package typealias Request = KeyedDigest

  /// A first opening whose record is durable.
  package struct First: Hashable, Sendable {
    package let sequence: UInt64
    /// In seconds since 1970.
    package let opened: Int64

    package init(sequence: UInt64, opened: Int64) {
      self.sequence = sequence
      self.opened = opened
    }
  }

  private let lock = Lock()
  private let capacity: Int
  // Guarded by `lock`.
  private var longest: UInt32
  private var pending: [Request: Int64] = [:]
  private var current: [Request: First] = [:]
  private var previous: [Request: First] = [:]
  private var turned: Int64

  /// - Parameters:
  ///   - longest: the longest retry window, in seconds.
  ///   - capacity: how many openings are remembered in each generation.
  ///   - known: another's snapshot.
  package init(longest: UInt32, capacity: Int, _ known: [Request: First] = [:], now: Timestamp) {
    self.longest = longest
    self.capacity = capacity
    current = known
    turned = now.seconds
  }

  /// Keeps what comes from now on for at least this long.
  package func widen(to window: UInt32) { lock.withLock { longest = max(longest, window) } }

  /// The request's first opening, if that was within `window` seconds of now, either way.
  package func first(_ request: Request, within window: UInt32, of now: Timestamp) -> First? {
    lock.withLock { known(request, within: window, of: now) }
  }

  /// Enters a request that is about to open its token for the first time on this host.
  ///
  /// - Parameter opened: when it was opened first, on whatever host, in seconds since 1970.
  /// - Returns: false if the same request is being carried out, or was since it was looked for, or
  ///   if there is no room.
  package func reserve(
    _ request: Request, opened: Int64, within window: UInt32, at now: Timestamp,
    into reservations: inout Reservations
  ) -> Bool {
    let isNew = lock.withLock {
      turn(now.seconds)
      guard pending[request] == nil, known(request, within: window, of: now) == nil,
        current.count + pending.count < capacity
      else { return false }
      pending[request] = opened
      return true
    }
    if isNew { reservations.add(.request(request, self)) }
    return isNew
  }

  /// Forgets a request that did not open its token.
  func giveBack(_ request: Request) { lock.withLock { _ = pending.removeValue(forKey: request) } }

  /// The request's record is durable: from now on it can be repeated.
  func keep(_ request: Request, _ sequence: UInt64) {
    lock.withLock {
      guard let opened = pending.removeValue(forKey: request) else { return }
      current[request] = First(sequence: sequence, opened: opened)
    }
  }

  /// Enters a first opening found in the audit log.
  ///
  /// - Parameter openedAt: later than `now` if the clock was set back since.
  package func restore(_ request: Request, _ sequence: UInt64, openedAt: Timestamp, now: Timestamp)
  {
    lock.withLock {
      turn(min(openedAt, now).seconds)
      current[request] = First(sequence: sequence, opened: openedAt.seconds)
    }
  }

  /// A snapshot of the durable openings.
  package var contents: [Request: First] {
    lock.withLock { current.merging(previous) { newer, _ in newer } }
  }

  private func known(_ request: Request, within window: UInt32, of now: Timestamp) -> First? {
    guard let first = current[request] ?? previous[request],
      (now.seconds - first.opened).magnitude <= window
    else { return nil }
    return first
  }

  /// Starts a new generation when it is time.
  private func turn(_ now: Int64) {
    // If the clock was set back, this generation would otherwise last until the clock is there
    // again.
    turned = min(turned, now)
    guard now - turned >= Int64(longest) else { return }
    previous = current
    current = [:]
    turned = now
  }
}

/// Whether a request to open a token or an envelope may have been carried out before, as its retry
/// key lets a caller ask [OP-OPEN-11].
package enum Retry: Sendable {
  /// The request has no retry key, or its merchant's retry window is 0.
  case none
  /// The same caller has sent no such request within the window, in seconds, or one whose record is
  /// not durable yet.
  case possible(RepeatableOpenings.Request, window: UInt32)
  case again(of: RepeatableOpenings.First)
  /// The arena had no room to find out.
  case unknown

  /// The first opening on this host; nil if this may be the first.
  package var first: RepeatableOpenings.First? {
    if case .again(let first) = self { first } else { nil }
  }

  /// Whether the request was carried out on this host before: it counts as no further use.
  package var isRepetition: Bool { first != nil }
}

extension OperationContext {
  /// When the token or envelope was opened first, here or on another host, in seconds since 1970:
  /// now, if this is the first time.
  func opened(by now: Timestamp) -> Int64 {
    retry.first?.opened ?? now.seconds - Int64(clamping: (claim.elsewhere?.age ?? 0) / 1000)
  }

  /// Enters a request that can be repeated, if this is its first time [OP-OPEN-13].
  func reserveRepetition(at now: Timestamp) throws(OperationError) {
    switch retry {
    case .none, .again: return
    case .unknown: throw .busy(.memory)
    case .possible(let request, let window):
      let opened = opened(by: now)
      let repeatable = daemon.repeatable
      guard
        repeatable.reserve(
          request, opened: opened, within: window, at: now, into: &finding.reservations)
      else { throw .busy(.replayGuard) }
      finding.inputs.retry = request
    }
  }

  /// Makes sure that what opens once was not opened on this host before, unless by the same request
  /// [OP-OPEN-6] [OP-OPEN-11].
  ///
  /// - Parameters:
  ///   - made: when it was signed or made.
  ///   - forgotten: the stage at which it is refused if nobody knows any more whether it was
  ///     opened.
  func reserve(
    _ digest: KeyedDigest, in opened: ReplayGuard, made: Timestamp, at now: Timestamp,
    refusing replayed: Stage, _ forgotten: Stage
  ) throws(OperationError) {
    guard !retry.isRepetition else { return }
    switch opened.reserve(digest, signedAt: made, now: now, into: &finding.reservations) {
    case .reserved: return
    case .replayed: throw .rejected(replayed)
    case .forgotten: throw .rejected(forgotten)
    case .full: throw .busy(.replayGuard)
    }
  }
}

extension DaemonContext {
  /// Compares a request that a rule covers with those carried out before; what is left is whether
  /// the rule's quota counts it.
  package func retry<O: Operation>(
    _ operation: O.Type, _ request: borrowing O.Request, of body: Span<UInt8>, _ key: KeyID,
    by caller: Caller, under grant: String,
    _ rules: Rules
  ) -> Retry {
    let window = operation.retryWindow(of: request, key, keys, rules.retry)
    guard window > 0 else { return .none }
    guard let digest = try? digests.digest(ofRetry: body, by: caller, under: grant) else {
      return .unknown
    }
    guard let first = repeatable.first(digest, within: window, of: clock()) else {
      return .possible(digest, window: window)
    }
    return .again(of: first)
  }
}
