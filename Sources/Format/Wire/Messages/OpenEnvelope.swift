/// `open-envelope`: what is sealed in an envelope, as far as policy allows; the reply is an `OpenPaymentTokenReply`.
package struct OpenEnvelopeRequest: Message, ~Escapable {
  package var envelope: Span<UInt8>
  package var merchantIdentifier = ""
  /// 32 bytes that the envelope is bound to.
  package var transactionID: Span<UInt8>
  /// What the caller wants of what it may have; empty asks for all of it.
  package var release: ReleasedFields = []
  /// Without any of these the envelope is not to be opened.
  package var required: ReleasedFields = []
  /// 16 random bytes of the caller's, as for a token; or empty. [OP-ENV-7]
  package var retryKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    (envelope, transactionID, retryKey) = (Span(), Span(), Span())
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "envelope", &envelope, .oneTo(StandInCaps.envelope))
    try visitor.text(2, "merchant_identifier", &merchantIdentifier, .atMost(StandInCaps.merchantIdentifier))
    try visitor.bytes(3, "transaction_id", &transactionID, .exactly(StandInCaps.transactionID))
    try visitor.set(4, "release", "ReleasedField", &release, atMost: 64)
    try visitor.set(5, "required", "ReleasedField", &required, atMost: 64)
    try visitor.bytes(6, "retry_key", &retryKey, .absentOr(OpenPaymentTokenRequest.retryKeyCount))
  }
}
