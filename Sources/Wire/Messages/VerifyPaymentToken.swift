/// `verify-payment-token`: all of Apple's signature checks, nothing opened, no key used.
package struct VerifyPaymentTokenRequest: ~Escapable {
  package let token: PaymentTokenMessage
  /// SHA-256 of the request's application data, or empty when the caller states none.
  package let expectedApplicationData: Span<UInt8>

  @_lifetime(copy token, copy expectedApplicationData)
  package init(token: consuming PaymentTokenMessage, expectedApplicationData: Span<UInt8>) {
    self.token = token
    self.expectedApplicationData = expectedApplicationData
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    token = try PaymentTokenMessage(MessageReader(try body.bytes(Fields.token, atMost: PaymentTokenMessage.Caps.message)))
    expectedApplicationData = try body.bytes(Fields.expectedApplicationData, absentOr: 32)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.message(Fields.token) { (nested) throws(WireError) in try token.encode(into: &nested) }
    try writer.bytes(Fields.expectedApplicationData, expectedApplicationData, absentOr: 32)
  }

  private enum Fields {
    static let token = Field(1, "token", .message("PaymentToken"))
    static let expectedApplicationData = Field(2, "expected_application_data", .bytes)
  }

  package static let schema = MessageSchema("VerifyPaymentTokenRequest", [Fields.token, Fields.expectedApplicationData])
}

package struct VerifyPaymentTokenReply: Hashable, Sendable {
  /// When Apple signed the token, in seconds since 1970.
  package let signingTime: UInt64

  package init(signingTime: UInt64) { self.signingTime = signingTime }

  package init(_ body: consuming MessageReader) throws(WireError) {
    signingTime = try body.uint64(Fields.signingTime)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.uint(Fields.signingTime, signingTime) }

  private enum Fields {
    static let signingTime = Field(1, "signing_time", .uint64)
  }

  package static let schema = MessageSchema("VerifyPaymentTokenReply", [Fields.signingTime])
}
