/// `sign-otp`: makes the one-time value that the key's role makes.
package struct SignOTPRequest: Message, ~Escapable {
  /// Whom a code is for; empty for the key's own.
  package var subject: Span<UInt8>
  /// The counter of a counted code; nil for the next.
  package var counter: UInt64?
  /// For a network; neither where the key makes codes.
  package var network: NetworkInputs
  /// In place of the number in the network's input: an envelope of this daemon's, with what it was
  /// sealed with besides, or a surrogate.
  package var accountEnvelope, envelopeContext: Span<UInt8>
  package var accountSurrogate: Optional<AccountSurrogate>

  @_lifetime(immortal) package init() {
    subject = Span()
    network = NetworkInputs()
    accountEnvelope = Span()
    envelopeContext = Span()
    accountSurrogate = nil
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .atMost(OTPSubject.cap))
    try visitor.uint64(2, "counter", &counter)
    try network.visit(&visitor, visa: 3, mastercard: 4)
    try visitor.bytes(
      5, "account_envelope", &accountEnvelope, .atMost(ProvisionPassRequest.Caps.envelope))
    try visitor.bytes(
      6, "envelope_context", &envelopeContext, .atMost(ProvisionPassRequest.Caps.envelope))
    try visitor.message(
      7, "account_surrogate", "AccountSurrogate", &accountSurrogate, atMost: AccountSurrogate.cap)
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

/// `verify-otp`: checks a person's code, once.
package struct VerifyOTPRequest: Message, ~Escapable {
  package var subject: Span<UInt8>
  /// Six to eight digits.
  package var code: Span<UInt8>

  @_lifetime(immortal) package init() {
    subject = Span()
    code = Span()
  }

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

/// `enrol-authenticator`: makes a person a new secret, for an authenticator of theirs.
package struct EnrolAuthenticatorRequest: Message, ~Escapable {
  package var subject: Span<UInt8>
  /// 16 random bytes of the caller's: the same request again has the same answer. [OP-OTP-12]
  package var retryKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    subject = Span()
    retryKey = Span()
  }

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

/// The hash of a key for people's codes.
package enum OTPHashName: UInt8, CaseIterable, Sendable {
  case sha1 = 1
  case sha256 = 2
  case sha512 = 3
}

/// What a key for one-time values needs besides its role; zero or empty where the role has no such
/// thing, or for the usual.
package struct OTPParameters: Message, Hashable, Sendable {
  /// Visa.
  package var keySet = ""
  /// Mastercard.
  package var keyAlias = ""
  /// Codes: 6 to 8.
  package var digits: UInt32 = 0
  package var hash: OTPHashName?
  /// Timed codes: seconds.
  package var step: UInt32 = 0
  package var window: UInt32?
  package var failures: UInt32 = 0
  /// Seconds.
  package var lockout: UInt32 = 0
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "key_set", &keySet, .atMost(64))
    try visitor.text(2, "key_alias", &keyAlias, .atMost(64))
    try visitor.uint32(3, "digits", &digits)
    try visitor.enumeration(4, "hash", "OtpHash", &hash)
    try visitor.uint32(5, "step", &step)
    try visitor.uint32(6, "window", &window)
    try visitor.uint32(7, "failures", &failures)
    try visitor.uint32(8, "lockout", &lockout)
  }

  package var isEmpty: Bool { self == OTPParameters() }
}
