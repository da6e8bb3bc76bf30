internal import Audit
internal import Encoding
internal import KeyStore
package import Policy
package import Wire

/// Whether a request to open a token may have been carried out before, as its retry key lets a caller ask [OP-OPEN-11].
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
  /// When the token was opened first, here or on another host, in seconds since 1970: now, if this is the first time.
  func opened(by now: Timestamp) -> Int64 {
    retry.first?.opened ?? now.seconds - Int64(clamping: (claim.elsewhere?.age ?? 0) / 1000)
  }
}

extension DaemonContext {
  /// Compares a request that a rule covers with those carried out before; what is left is whether the rule's quota counts it.
  package func retry(_ opcode: Opcode, of body: Span<UInt8>, _ key: KeyID, by caller: Caller, under grant: String, _ rules: Rules) -> Retry {
    guard opcode == .openPaymentToken, (try? Self.hasRetryKey(body)) == true else { return .none }
    let window = rules.retry.window(of: keys.record(for: key)?.merchant)
    guard window > 0 else { return .none }
    guard let digest = try? digests.digest(ofRetry: body, by: caller, under: grant) else { return .unknown }
    guard let first = repeatable.first(digest, within: window, of: clock()) else { return .possible(digest, window: window) }
    return .again(of: first)
  }

  private static func hasRetryKey(_ body: Span<UInt8>) throws(WireError) -> Bool {
    let request = try OpenPaymentTokenRequest(MessageReader(body))
    return !request.retryKey.isEmpty
  }
}
