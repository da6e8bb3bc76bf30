package import Encoding

extension KeyRecord {
  /// Whether the key's period of use has begun and not ended. [KS-PERIOD]
  package func isInPeriod(_ now: Timestamp) -> Bool { hasBegun(now) && !hasEnded(now) }

  /// What the key's state comes to at a moment: its period may not have begun, or be over. [KS-PERIOD]
  func servingState(at now: Timestamp) -> KeyState {
    guard state == .active else { return state }
    guard hasBegun(now) else { return .preActive }
    return hasEnded(now) && !tellsItsEnd ? .retired : .active
  }

  /// Whether it is refused by a stage of its own after its end: a key that makes one-time values for a network.
  private var tellsItsEnd: Bool { role.otpKind == .visa || role.otpKind == .mastercard }

  private func hasBegun(_ now: Timestamp) -> Bool { notBefore.map { $0 <= now } ?? true }
  private func hasEnded(_ now: Timestamp) -> Bool { notAfter.map { $0 < now } ?? false }
}
