/// `release-handle`: gives up the secret behind a handle before its time.
package struct ReleaseHandleRequest: Message, ~Escapable {
  /// 16 bytes.
  package var handle: Span<UInt8>

  @_lifetime(immortal) package init() { handle = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .exactly(PrimitiveCaps.handle))
  }
}
