/// `verify-otp`: checks a person's code, once.
package struct VerifyOTPRequest: ~Escapable {
  package let subject: Span<UInt8>
  /// Six to eight digits.
  package let code: Span<UInt8>

  @_lifetime(copy subject, copy code)
  package init(subject: Span<UInt8>, code: Span<UInt8>) {
    self.subject = subject
    self.code = code
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    subject = try body.text(Fields.subject, atMost: OTPSubject.cap)
    code = try body.text(Fields.code, atMost: 8)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.subject, subject, atMost: OTPSubject.cap)
    try writer.bytes(Fields.code, code, atMost: 8)
  }

  private enum Fields {
    static let subject = Field(1, "subject", .string)
    static let code = Field(2, "code", .string)
  }

  package static let schema = MessageSchema("VerifyOtpRequest", [Fields.subject, Fields.code])
}

/// Which counter, or time step, the code was of.
package struct VerifyOTPReply: Hashable, Sendable {
  package let counter: UInt64

  package init(counter: UInt64) { self.counter = counter }

  package init(_ body: consuming MessageReader) throws(WireError) {
    counter = try body.uint64(Fields.counter)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.uint(Fields.counter, counter) }

  private enum Fields {
    static let counter = Field(1, "counter", .uint64)
  }

  package static let schema = MessageSchema("VerifyOtpReply", [Fields.counter])
}
