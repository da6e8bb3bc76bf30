/// `verify-payment-token`: all of Apple's signature checks, nothing opened, no key used.
package struct VerifyPaymentTokenRequest: Message, ~Escapable {
  package var token: PaymentTokenMessage
  /// SHA-256 of the request's application data, or empty when the caller states none.
  package var expectedApplicationData: Span<UInt8>

  @_lifetime(immortal) package init() { (token, expectedApplicationData) = (PaymentTokenMessage(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.message(1, "token", "PaymentToken", &token, atMost: PaymentTokenMessage.Caps.message)
    try visitor.bytes(2, "expected_application_data", &expectedApplicationData, .absentOr(32))
  }
}

package struct VerifyPaymentTokenReply: Message, Hashable, Sendable {
  /// When Apple signed the token, in seconds since 1970.
  package var signingTime: UInt64 = 0
  package init() {}

  package init(signingTime: UInt64) { self.signingTime = signingTime }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint64(1, "signing_time", &signingTime)
  }
}
