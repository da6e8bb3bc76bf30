/// `enrol-authenticator`: makes a person a new secret, for an authenticator of theirs.
package struct EnrolAuthenticatorRequest: Message, ~Escapable {
  package var subject: Span<UInt8>
  /// 16 random bytes of the caller's: the same request again has the same answer. [OP-OTP-12]
  package var retryKey: Span<UInt8>

  @_lifetime(immortal) package init() { (subject, retryKey) = (Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .oneTo(OTPSubject.cap))
    try visitor.bytes(2, "retry_key", &retryKey, .exactly(OpenPaymentTokenRequest.retryKeyCount))
  }
}

/// What an authenticator makes its codes from.
package struct EnrolAuthenticatorReply: Message, ~Escapable {
  /// As long as the key's hash: 20, 32 or 64 bytes.
  package var secret: Span<UInt8>
  /// The subject's first authenticator is 1.
  package var number: UInt32 = 0
  package var otp = OTPParameters()

  @_lifetime(immortal) package init() { secret = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "secret", &secret, .oneTo(64))
    try visitor.uint32(2, "number", &number)
    try visitor.message(3, "otp", "OtpParameters", &otp, atMost: 256)
  }
}
