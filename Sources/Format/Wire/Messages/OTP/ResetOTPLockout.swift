/// `reset-otp-lockout`: forgets a person's wrong codes.
package struct ResetOTPLockoutRequest: Message, ~Escapable {
  package var subject: Span<UInt8>

  @_lifetime(immortal) package init() { subject = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .atMost(OTPSubject.cap))
  }
}

/// How many wrong codes in a row were forgotten.
package struct ResetOTPLockoutReply: Message, Hashable, Sendable {
  package var failures: UInt32 = 0
  package init() {}

  package init(failures: UInt32) { self.failures = failures }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "failures", &failures)
  }
}
