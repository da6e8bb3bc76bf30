package import Encoding

/// `verify`: whether a signature is the key's; the reply says so by its status alone.
package struct VerifyRequest: Message, ~Escapable {
  package var scheme = SignatureChoice.ecdsaP256SHA256
  /// Whether `message` is the message's digest.
  package var digested = false
  package var message: Span<UInt8>
  package var signature: Span<UInt8>

  @_lifetime(immortal) package init() { (message, signature) = (Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "scheme", "SignatureScheme", &scheme)
    try visitor.bool(2, "digested", &digested)
    try visitor.bytes(3, "message", &message, .atMost(PrimitiveCaps.message))
    try visitor.bytes(4, "signature", &signature, .atMost(PrimitiveCaps.modulus))
  }
}
