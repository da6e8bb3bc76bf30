/// `verify`: whether a signature is the key's; the reply says so by its status alone.
package struct VerifyRequest: Message, ~Escapable {
  package var signed: SignRequest
  package var signature: Span<UInt8>

  @_lifetime(immortal) package init() { (signed, signature) = (SignRequest(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try signed.visit(&visitor)
    try visitor.bytes(4, "signature", &signature, .atMost(PrimitiveCaps.modulus))
  }
}
