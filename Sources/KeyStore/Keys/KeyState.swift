package import Format
import Policy

/// A state in a key's life (SP 800-57 part 1 §7).
package enum KeyState: String, CaseIterable, Sendable {
  /// Stored, but not to be used yet.
  case preActive = "pre-active"
  case active
  /// Stopped at once by one person: serves nothing until two people resume it or end it.
  /// [KS-SUSPEND]
  case suspended
  /// Makes nothing new, but still opens what was made for it.
  case retired
  /// Others may know the key: nothing is made with it any more, and nothing that it made is
  /// trusted.
  case compromised
  /// The key is gone; its record stays.
  case destroyed

  /// Whether a key in this state may be used for `opcode`. [KS-STATE-USE]
  package func serves(_ opcode: Opcode) -> Bool {
    switch self {
    case .active: true
    case .preActive: opcode.preparesKey
    // Apple goes on using the old certificate for a while after a merchant has activated a new one;
    // and what a rotated key made (envelopes, surrogates, signatures, MACs) must stay readable.
    case .retired: opcode.traits.serves == .retiredKeys || opcode.traits.serves == .compromisedKeys
    case .compromised: opcode.traits.serves == .compromisedKeys
    case .suspended, .destroyed: false
    }
  }

  /// Whether a key may go from this state to `next`. States only go forward; `resume` alone undoes
  /// a suspension. [KS-STATE-ORDER]
  package func mayBecome(_ next: KeyState) -> Bool {
    switch self {
    case .preActive: [.active, .suspended, .compromised, .destroyed].contains(next)
    case .active: [.suspended, .retired, .compromised].contains(next)
    case .suspended: next == .compromised
    case .retired: [.suspended, .compromised, .destroyed].contains(next)
    case .compromised: next == .destroyed
    case .destroyed: false
    }
  }
}

extension Opcode {
  /// Requesting a certificate and sharing the key with its other holder come before its use, and do
  /// not count as use.
  var preparesKey: Bool { traits.serves == .newKeys }
}

extension KeyRecord {
  /// Whether the key's period of use has begun and not ended. [KS-PERIOD]
  func isInPeriod(_ now: Timestamp) -> Bool { hasBegun(now) && !hasEnded(now) }

  /// The key's effective state at a moment, which depends on its period of use. [KS-PERIOD]
  func servingState(at now: Timestamp) -> KeyState {
    guard state == .active else { return state }
    guard hasBegun(now) else { return .preActive }
    return hasEnded(now) && !tellsItsEnd ? .retired : .active
  }

  /// Whether use after the end is refused at a stage of its own: for keys that make one-time values
  /// for a network.
  private var tellsItsEnd: Bool { role.otpKind == .visa || role.otpKind == .mastercard }

  private func hasBegun(_ now: Timestamp) -> Bool { notBefore.map { $0 <= now } ?? true }
  private func hasEnded(_ now: Timestamp) -> Bool { notAfter.map { $0 < now } ?? false }
}
