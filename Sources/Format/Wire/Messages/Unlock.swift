/// `unlock`: opens the key store with the operator's passphrase.
package struct UnlockRequest: Message, ~Escapable {
  /// 1 to 1024 bytes.
  package var passphrase: Span<UInt8>

  @_lifetime(immortal) package init() { passphrase = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "passphrase", &passphrase, .oneTo(1024))
  }
}

/// `submit-share`: a custodian's share of the key encryption key, towards its unlocking.
package struct SubmitShareRequest: Message, ~Escapable {
  /// 21, 29 or 37 bytes: the share's header (5) ‖ its value.
  package var share: Span<UInt8>

  @_lifetime(immortal) package init() { share = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "share", &share, .oneTo(37))
  }
}

/// How far the custodians have come: the reply to `submit-share` and `share-progress`.
package struct ShareProgressReply: Message, Hashable, Sendable {
  /// Shares that are there.
  package var present: UInt32 = 0
  /// Shares that must be there; zero where the key encryption key is not split.
  package var needed: UInt32 = 0
  /// When those that are there are wiped, in seconds since 1970; zero where none are.
  package var until: UInt64 = 0
  /// Whether the key store is open.
  package var unlocked = false
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "present", &present)
    try visitor.uint32(2, "needed", &needed)
    try visitor.uint64(3, "until", &until)
    try visitor.bool(4, "unlocked", &unlocked)
  }
}
