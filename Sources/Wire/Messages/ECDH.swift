/// `ecdh`: agrees on a shared secret with a peer's public key.
package struct ECDHRequest: ~Escapable {
  /// An uncompressed point, or a SubjectPublicKeyInfo with a named curve.
  package let peer: Span<UInt8>
  /// Whether Z itself is asked for instead of a handle.
  package let release: Bool

  @_lifetime(copy peer)
  package init(peer: Span<UInt8>, release: Bool) {
    self.peer = peer
    self.release = release
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    peer = try body.bytes(Fields.peer, atMost: PrimitiveCaps.peer)
    release = try body.bool(Fields.release)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.peer, peer, atMost: PrimitiveCaps.peer)
    try writer.bool(Fields.release, release)
  }

  private enum Fields {
    static let peer = Field(1, "peer", .bytes)
    static let release = Field(2, "release", .bool)
  }

  package static let schema = MessageSchema("EcdhRequest", [Fields.peer, Fields.release])
}

/// Either a handle or Z.
package struct ECDHReply: ~Escapable {
  /// 16 bytes, or empty.
  package let handle: Span<UInt8>
  package let sharedSecret: Span<UInt8>

  @_lifetime(copy handle, copy sharedSecret)
  package init(handle: Span<UInt8>, sharedSecret: Span<UInt8>) {
    self.handle = handle
    self.sharedSecret = sharedSecret
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    handle = try body.bytes(Self.handleField, absentOr: PrimitiveCaps.handle)
    sharedSecret = try body.bytes(Self.sharedSecretField, atMost: PrimitiveCaps.sharedSecret)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Self.handleField, handle, absentOr: PrimitiveCaps.handle)
    try writer.bytes(Self.sharedSecretField, sharedSecret, atMost: PrimitiveCaps.sharedSecret)
  }

  package static let handleField = Field(1, "handle", .bytes)
  package static let sharedSecretField = Field(2, "shared_secret", .bytes)
  package static let schema = MessageSchema("EcdhReply", [handleField, sharedSecretField])
}
