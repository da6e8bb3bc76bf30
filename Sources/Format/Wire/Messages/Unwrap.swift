/// `unwrap`: opens a secret that was wrapped for an RSA key, to a handle.
package struct UnwrapRequest: Message, ~Escapable {
  /// As long as the key's modulus.
  package var wrappedKey: Span<UInt8>

  @_lifetime(immortal) package init() { wrappedKey = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "wrapped_key", &wrappedKey, .atMost(PrimitiveCaps.modulus))
  }
}

package struct UnwrapReply: Message, ~Escapable {
  /// 16 bytes.
  package var handle: Span<UInt8>

  @_lifetime(immortal) package init() { handle = Span() }

  @_lifetime(copy handle) package init(handle: Span<UInt8>) { self.handle = handle }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .exactly(PrimitiveCaps.handle))
  }
}
