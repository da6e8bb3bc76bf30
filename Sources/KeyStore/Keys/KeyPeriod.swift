internal import Format

extension KeyRecord {
  /// Whether the key's period of use has begun and not ended. [KS-PERIOD]
  func isInPeriod(_ now: Timestamp) -> Bool { hasBegun(now) && !hasEnded(now) }

  /// The key's effective state at a moment, which depends on its period of use. [KS-PERIOD]
  func servingState(at now: Timestamp) -> KeyState {
    guard state == .active else { return state }
    guard hasBegun(now) else { return .preActive }
    return hasEnded(now) && !tellsItsEnd ? .retired : .active
  }

  /// Whether use after the end is refused at a stage of its own: for keys that make one-time values for a network.
  private var tellsItsEnd: Bool { role.otpKind == .visa || role.otpKind == .mastercard }

  private func hasBegun(_ now: Timestamp) -> Bool { notBefore.map { $0 <= now } ?? true }
  private func hasEnded(_ now: Timestamp) -> Bool { notAfter.map { $0 < now } ?? false }
}
