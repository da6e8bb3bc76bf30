/// `sign-otp`: makes the one-time value that the key's role makes.
package struct SignOTPRequest: Message, ~Escapable {
  /// Whom a code is for; empty for the key's own.
  package var subject: Span<UInt8>
  /// The counter of a counted code; nil for the next.
  package var counter: UInt64?
  /// For a network; neither where the key makes codes.
  package var network: NetworkInputs

  @_lifetime(immortal) package init() { (subject, network) = (Span(), NetworkInputs()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .atMost(OTPSubject.cap))
    try visitor.uint64(2, "counter", &counter)
    try network.visit(&visitor, visa: 3, mastercard: 4)
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
