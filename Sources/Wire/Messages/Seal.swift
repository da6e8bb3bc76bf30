/// `seal`: AES-256-GCM under a stored key, or under the key behind a handle.
package struct SealRequest: Message, ~Escapable {
  /// 16 bytes, or empty for the stored key.
  package var handle: Span<UInt8>
  /// Empty: the daemon draws the nonce, and refuses one of the caller's [OP-SEAL-4].
  package var iv: Span<UInt8>
  package var plaintext: Span<UInt8>
  package var associatedData: Span<UInt8>

  @_lifetime(immortal) package init() { (handle, iv, plaintext, associatedData) = (Span(), Span(), Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(PrimitiveCaps.handle))
    try visitor.bytes(2, "iv", &iv, .atMost(16))
    try visitor.bytes(3, "plaintext", &plaintext, .atMost(PrimitiveCaps.message))
    try visitor.bytes(4, "associated_data", &associatedData, .atMost(PrimitiveCaps.associatedData))
  }

  package func check() throws(WireError) {
    guard iv.isEmpty || iv.count == 12 || iv.count == 16 else { throw .badValue(2) }
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
