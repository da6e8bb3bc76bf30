/// `tokenise`: makes what stands in for a PAN, of the kind that the key is for.
package struct TokeniseRequest: Message, ~Escapable {
  /// ASCII digits.
  package var pan: Span<UInt8>
  package var merchantIdentifier = ""
  /// 32 bytes that an envelope is bound to; empty for a surrogate.
  package var transactionID: Span<UInt8>
  /// How long an envelope can be opened, in seconds; zero for a surrogate.
  package var lifetime: UInt32 = 0

  @_lifetime(immortal) package init() {
    pan = Span()
    transactionID = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "pan", &pan, .atMost(StandInCaps.digits))
    try visitor.text(
      2, "merchant_identifier", &merchantIdentifier, .atMost(StandInCaps.merchantIdentifier))
    try visitor.bytes(3, "transaction_id", &transactionID, .absentOr(StandInCaps.transactionID))
    try visitor.uint32(4, "lifetime", &lifetime)
  }

  package func check() throws(WireError) {
    guard transactionID.isEmpty == (lifetime == 0) else {
      throw .badValue(WireField(4, "lifetime", "goes with transaction_id, and that with it"))
    }
  }
}

/// Either a surrogate or an envelope.
package struct TokeniseReply: Message, ~Escapable {
  /// ASCII digits.
  package var surrogate: Span<UInt8>
  package var envelope: Span<UInt8>

  @_lifetime(immortal) package init() {
    surrogate = Span()
    envelope = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "surrogate", &surrogate, .atMost(StandInCaps.digits))
    try visitor.bytes(3, "envelope", &envelope, .atMost(StandInCaps.envelope))
  }

  package func check() throws(WireError) {
    guard surrogate.isEmpty != envelope.isEmpty else {
      throw .badValue(WireField(3, "envelope", "is needed, or surrogate, and not both"))
    }
  }
}

/// The most bytes of what has to do with PANs and what stands in for them.
package enum StandInCaps {
  /// More than any PAN has, so that a wrong one costs a rejection and not the connection.
  package static let digits = 32
  package static let merchantIdentifier = 255
  /// Exactly.
  package static let transactionID = 32
  /// Enough for every field of the largest token.
  package static let envelope = PaymentTokenMessage.Caps.data + 512
}

/// `detokenise`: the PAN that a surrogate stands in for.
package struct DetokeniseRequest: Message, ~Escapable {
  /// ASCII digits.
  package var surrogate: Span<UInt8>
  package var merchantIdentifier = ""

  @_lifetime(immortal) package init() { surrogate = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "surrogate", &surrogate, .oneTo(StandInCaps.digits))
    try visitor.text(
      3, "merchant_identifier", &merchantIdentifier, .atMost(StandInCaps.merchantIdentifier))
  }
}

package struct DetokeniseReply: Message, ~Escapable {
  /// ASCII digits.
  package var pan: Span<UInt8>

  @_lifetime(immortal) package init() { pan = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "pan", &pan, .oneTo(StandInCaps.digits))
  }
}

/// `open-envelope`: what is sealed in an envelope, as far as policy allows; the reply is an
/// `OpenPaymentTokenReply`.
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
    envelope = Span()
    transactionID = Span()
    retryKey = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "envelope", &envelope, .oneTo(StandInCaps.envelope))
    try visitor.text(
      2, "merchant_identifier", &merchantIdentifier, .atMost(StandInCaps.merchantIdentifier))
    try visitor.bytes(3, "transaction_id", &transactionID, .exactly(StandInCaps.transactionID))
    try visitor.set(4, "release", "ReleasedField", &release, atMost: 64)
    try visitor.set(5, "required", "ReleasedField", &required, atMost: 64)
    try visitor.bytes(6, "retry_key", &retryKey, .absentOr(OpenPaymentTokenRequest.retryKeyCount))
  }
}
