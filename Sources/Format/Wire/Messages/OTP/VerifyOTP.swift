/// `verify-otp`: checks a person's code, once.
package struct VerifyOTPRequest: Message, ~Escapable {
  package var subject: Span<UInt8>
  /// Six to eight digits.
  package var code: Span<UInt8>

  @_lifetime(immortal) package init() { (subject, code) = (Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .atMost(OTPSubject.cap))
    try visitor.text(2, "code", &code, .atMost(8))
  }
}

/// Which counter, or time step, the code was of.
package struct VerifyOTPReply: Message, Hashable, Sendable {
  package var counter: UInt64 = 0
  package init() {}

  package init(counter: UInt64) { self.counter = counter }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint64(1, "counter", &counter)
  }
}
