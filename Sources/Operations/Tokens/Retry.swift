internal import Audit
internal import KeyStore
package import Policy
package import Wire

/// Whether a request to open a token may have been carried out before, as its retry key lets a caller ask [OP-OPEN-11].
package enum Retry: Sendable {
  /// The request has no retry key, or its merchant's retry window is 0.
  case none
  /// The same caller has sent no such request within the window, in seconds, or one whose record is not durable yet.
  case possible(RepeatableOpenings.Request, window: UInt32)
  /// The record with this sequence is that of the first opening.
  case again(of: UInt64)
  /// The arena had no room to find out.
  case unknown

  /// The sequence of the first opening's record; nil if this may be the first.
  package var first: UInt64? { if case .again(let sequence) = self { sequence } else { nil } }
}

extension DaemonContext {
  /// Compares a request that policy has yet to decide with those carried out before. Its body is not decoded: the digest of the whole is
  /// enough.
  package func retry(_ opcode: Opcode, of body: Span<UInt8>, _ key: KeyID, by caller: Caller, under grant: String, _ rules: Rules) -> Retry {
    guard opcode == .openPaymentToken, OpenPaymentTokenRequest.endsWithRetryKey(body) else { return .none }
    let window = rules.retry.window(of: keys.record(for: key)?.merchant)
    guard window > 0 else { return .none }
    guard let digest = try? digests.digest(ofRetry: body, by: caller, under: grant) else { return .unknown }
    guard let sequence = repeatable.first(digest, within: window, of: clock()) else { return .possible(digest, window: window) }
    return .again(of: sequence)
  }
}
