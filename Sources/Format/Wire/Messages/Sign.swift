/// `sign`: a signature over a message or its digest.
package struct SignRequest: Message, ~Escapable {
  package var scheme = SignatureChoice.ecdsaP256SHA256
  /// Whether `message` is the message's digest.
  package var digested = false
  package var message: Span<UInt8>

  @_lifetime(immortal) package init() { message = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "scheme", "SignatureScheme", &scheme)
    try visitor.bool(2, "digested", &digested)
    try visitor.bytes(3, "message", &message, .atMost(PrimitiveCaps.message))
  }
}

package struct SignReply: Message, ~Escapable {
  package var signature: Span<UInt8>

  @_lifetime(immortal) package init() { signature = Span() }

  @_lifetime(copy signature) package init(signature: Span<UInt8>) { self.signature = signature }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "signature", &signature, .atMost(PrimitiveCaps.modulus))
  }
}

/// `verify`: whether a signature is the key's; the reply says so by its status alone.
package struct VerifyRequest: Message, ~Escapable {
  package var signed: SignRequest
  package var signature: Span<UInt8>

  @_lifetime(immortal) package init() {
    signed = SignRequest()
    signature = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try signed.visit(&visitor)
    try visitor.bytes(4, "signature", &signature, .atMost(PrimitiveCaps.modulus))
  }
}
