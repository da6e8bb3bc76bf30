/// `ecdh`: agrees on a shared secret with a peer's public key.
package struct ECDHRequest: Message, ~Escapable {
  /// An uncompressed point, or a SubjectPublicKeyInfo with a named curve.
  package var peer: Span<UInt8>
  /// Whether Z itself is asked for instead of a handle.
  package var release = false

  @_lifetime(immortal) package init() { peer = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "peer", &peer, .atMost(PrimitiveCaps.peer))
    try visitor.bool(2, "release", &release)
  }
}

/// Either a handle or Z.
package struct ECDHReply: Message, ~Escapable {
  /// 16 bytes, or empty.
  package var handle: Span<UInt8>
  package var sharedSecret: Span<UInt8>

  @_lifetime(immortal) package init() { (handle, sharedSecret) = (Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(PrimitiveCaps.handle))
    try visitor.bytes(2, "shared_secret", &sharedSecret, .atMost(PrimitiveCaps.sharedSecret))
  }
}
