/// `seal`: AES-256-GCM under a stored key, or under the key behind a handle.
package struct SealRequest: Message, ~Escapable {
  /// 16 bytes, or empty for the stored key.
  package var handle: Span<UInt8>
  package var plaintext: Span<UInt8>
  package var associatedData: Span<UInt8>

  @_lifetime(immortal) package init() { (handle, plaintext, associatedData) = (Span(), Span(), Span()) }

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
