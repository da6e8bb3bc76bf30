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
