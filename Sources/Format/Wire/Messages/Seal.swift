/// `seal`: AES-256-GCM under a stored key, or under the key behind a handle.
package struct SealRequest: Message, ~Escapable {
  /// 16 bytes, or empty for the stored key.
  package var handle: Span<UInt8>
  package var plaintext: Span<UInt8>
  package var associatedData: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    plaintext = Span()
    associatedData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(PrimitiveCaps.handle))
    // Number 2 was an IV: a caller could use one twice [OP-SEAL-4].
    try visitor.bytes(3, "plaintext", &plaintext, .atMost(PrimitiveCaps.message))
    try visitor.bytes(4, "associated_data", &associatedData, .atMost(PrimitiveCaps.associatedData))
  }
}

package struct SealReply: Message, ~Escapable {
  /// An envelope.
  package var sealed: Span<UInt8>

  @_lifetime(immortal) package init() { sealed = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "sealed", &sealed, .atMost(PrimitiveCaps.sealed))
  }
}

/// `unseal`: opens what AES-256-GCM sealed.
package struct UnsealRequest: Message, ~Escapable {
  /// 16 bytes, or empty for the stored key.
  package var handle: Span<UInt8>
  /// 12 or 16 bytes for what others sealed; empty for an envelope.
  package var iv: Span<UInt8>
  /// An envelope; ciphertext and tag where there is an IV.
  package var sealed: Span<UInt8>
  package var associatedData: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    iv = Span()
    sealed = Span()
    associatedData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(PrimitiveCaps.handle))
    try visitor.bytes(2, "iv", &iv, .atMost(16))
    try visitor.bytes(3, "sealed", &sealed, .atMost(PrimitiveCaps.sealed))
    try visitor.bytes(4, "associated_data", &associatedData, .atMost(PrimitiveCaps.associatedData))
  }

  package func check() throws(WireError) {
    guard iv.isEmpty || iv.count == 12 || iv.count == 16 else {
      throw .badValue(WireField(2, "iv", "has \(iv.count) bytes; it takes 12 or 16"))
    }
  }
}

package struct UnsealReply: Message, ~Escapable {
  /// Empty where nothing was sealed.
  package var plaintext: Span<UInt8>

  @_lifetime(immortal) package init() { plaintext = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "plaintext", &plaintext, .atMost(PrimitiveCaps.sealed))
  }
}
