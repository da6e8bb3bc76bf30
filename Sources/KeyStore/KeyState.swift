package import Wire

/// Where a key is in its life (SP 800-57 part 1 §7).
package enum KeyState: String, CaseIterable, Sendable {
  /// Stored, and not to be used yet.
  case preActive = "pre-active"
  case active
  /// Stopped at once by one person: it serves nothing until two let it go on, or end it. [KS-SUSPEND]
  case suspended
  /// No longer what new data is made for; what was made for it can still be opened.
  case retired
  /// Others may know the key: nothing more is made with it, and nothing that it made is believed.
  case compromised
  /// The key is gone; its record stays.
  case destroyed

  /// Whether a key in this state may be used for `opcode`. [KS-STATE-USE]
  package func serves(_ opcode: Opcode) -> Bool {
    switch self {
    case .active: true
    // Apple goes on using the old certificate for a while after a merchant has taken up a new one; and a rotated key's
    // envelopes, surrogates, signatures and MACs stay readable.
    case .retired: [.openPaymentToken, .unseal, .detokenise, .verify, .verifyMAC, .unwrap, .verifyOTP].contains(opcode)
    // What it sealed must still be opened, to be sealed anew under another key (SP 800-57 part 1 §7.3).
    case .compromised: opcode == .unseal || opcode == .detokenise
    case .preActive: opcode.preparesKey
    case .suspended, .destroyed: false
    }
  }

  /// Whether a key may go from this state to `next`: forward only, but that a suspended key can be resumed. [KS-STATE-ORDER]
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
  /// A certificate is asked for, and a key shared with whom it is for, before it is used: neither is a use of it.
  var preparesKey: Bool { self == .certificateRequest || self == .exportKey }
}
