/// `sign-otp`: makes the one-time value that the key's role makes.
package struct SignOTPRequest: Message, ~Escapable {
  /// Whom a code is for; empty for the key's own.
  package var subject: Span<UInt8>
  /// The counter of a counted code; nil for the next.
  package var counter: UInt64?
  /// For a network; neither where the key makes codes.
  package var network: NetworkInputs
  /// In place of the number in the network's input: an envelope of this daemon's, with what it was sealed with besides, or a surrogate.
  package var accountEnvelope, envelopeContext: Span<UInt8>
  package var accountSurrogate: Optional<AccountSurrogate>

  @_lifetime(immortal) package init() {
    (subject, network) = (Span(), NetworkInputs())
    (accountEnvelope, envelopeContext, accountSurrogate) = (Span(), Span(), nil)
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .atMost(OTPSubject.cap))
    try visitor.uint64(2, "counter", &counter)
    try network.visit(&visitor, visa: 3, mastercard: 4)
    try visitor.bytes(5, "account_envelope", &accountEnvelope, .atMost(ProvisionPassRequest.Caps.envelope))
    try visitor.bytes(6, "envelope_context", &envelopeContext, .atMost(ProvisionPassRequest.Caps.envelope))
    try visitor.message(7, "account_surrogate", "AccountSurrogate", &accountSurrogate, atMost: AccountSurrogate.cap)
  }
}

package enum OTPSubject {
  /// Bytes.
  package static let cap = 128
}

/// A one-time value: a network's string or JSON, or a person's digits.
package struct SignOTPReply: Message, ~Escapable {
  package var otp: Span<UInt8>
  /// Of a counted code.
  package var counter: UInt64?

  @_lifetime(immortal) package init() { otp = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "otp", &otp, .atMost(2048))
    try visitor.uint64(2, "counter", &counter)
  }
}
