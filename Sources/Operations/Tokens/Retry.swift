internal import Audit
package import Format
internal import KeyStore
package import Policy

/// Whether a request to open a token or an envelope may have been carried out before, as its retry key lets a caller ask [OP-OPEN-11].
package enum Retry: Sendable {
  /// The request has no retry key, or its merchant's retry window is 0.
  case none
  /// The same caller has sent no such request within the window, in seconds, or one whose record is not durable yet.
  case possible(RepeatableOpenings.Request, window: UInt32)
  case again(of: RepeatableOpenings.First)
  /// The arena had no room to find out.
  case unknown

  /// The first opening on this host; nil if this may be the first.
  package var first: RepeatableOpenings.First? { if case .again(let first) = self { first } else { nil } }

  /// Whether the request was carried out on this host before: it counts as no further use.
  package var isRepetition: Bool { first != nil }
}

extension OperationContext {
  /// When the token or envelope was opened first, here or on another host, in seconds since 1970: now, if this is the first time.
  func opened(by now: Timestamp) -> Int64 {
    retry.first?.opened ?? now.seconds - Int64(clamping: (claim.elsewhere?.age ?? 0) / 1000)
  }

  /// Enters a request that can be repeated, if this is its first time [OP-OPEN-13].
  func reserveRepetition(at now: Timestamp) throws(OperationError) {
    switch retry {
    case .none, .again: return
    case .unknown: throw .busy(.memory)
    case .possible(let request, let window):
      let (opened, repeatable) = (opened(by: now), daemon.repeatable)
      guard repeatable.reserve(request, opened: opened, within: window, at: now, into: &finding.reservations)
      else { throw .busy(.replayGuard) }
      finding.inputs.retry = request
    }
  }

  /// Makes sure that what opens once was not opened on this host before, unless by the same request
  /// [OP-OPEN-6] [OP-OPEN-11].
  ///
  /// - Parameters:
  ///   - made: when it was signed or made.
  ///   - forgotten: the stage at which it is refused if nobody knows any more whether it was opened.
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
  /// Compares a request that a rule covers with those carried out before; what is left is whether the rule's quota counts it.
  package func retry<O: Operation>(
    _ operation: O.Type, _ request: borrowing O.Request, of body: Span<UInt8>, _ key: KeyID, by caller: Caller, under grant: String,
    _ rules: Rules
  ) -> Retry {
    let window = operation.retryWindow(of: request, key, keys, rules.retry)
    guard window > 0 else { return .none }
    guard let digest = try? digests.digest(ofRetry: body, by: caller, under: grant) else { return .unknown }
    guard let first = repeatable.first(digest, within: window, of: clock()) else { return .possible(digest, window: window) }
    return .again(of: first)
  }
}
