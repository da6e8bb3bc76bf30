/// `tokenise`: makes what stands in for a PAN, of the kind that the key is for.
package struct TokeniseRequest: ~Escapable {
  /// ASCII digits.
  package let pan: Span<UInt8>
  package let merchantIdentifier: String
  /// 32 bytes that an envelope is bound to; empty for a surrogate.
  package let transactionID: Span<UInt8>
  /// How long an envelope can be opened, in seconds; zero for a surrogate.
  package let lifetime: UInt32

  @_lifetime(copy pan, copy transactionID)
  package init(pan: Span<UInt8>, merchantIdentifier: String, transactionID: Span<UInt8>, lifetime: UInt32) {
    self.pan = pan
    self.merchantIdentifier = merchantIdentifier
    self.transactionID = transactionID
    self.lifetime = lifetime
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    pan = try body.text(Fields.pan, atMost: StandInCaps.digits)
    merchantIdentifier = try body.string(Fields.merchantIdentifier, atMost: StandInCaps.merchantIdentifier)
    transactionID = try body.bytes(Fields.transactionID, absentOr: StandInCaps.transactionID)
    lifetime = try body.uint32(Fields.lifetime)
    guard transactionID.isEmpty == (lifetime == 0) else { throw .badValue(Fields.lifetime.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.pan, pan, atMost: StandInCaps.digits)
    try writer.bytes(Fields.merchantIdentifier, merchantIdentifier.utf8.span, atMost: StandInCaps.merchantIdentifier)
    try writer.bytes(Fields.transactionID, transactionID, absentOr: StandInCaps.transactionID)
    try writer.uint(Fields.lifetime, UInt64(lifetime))
  }

  private enum Fields {
    static let pan = Field(1, "pan", .string)
    static let merchantIdentifier = Field(2, "merchant_identifier", .string)
    static let transactionID = Field(3, "transaction_id", .bytes)
    static let lifetime = Field(4, "lifetime", .uint32)
  }

  package static let schema = MessageSchema(
    "TokeniseRequest", [Fields.pan, Fields.merchantIdentifier, Fields.transactionID, Fields.lifetime])
}

/// Either a surrogate or an envelope.
package struct TokeniseReply: ~Escapable {
  /// ASCII digits.
  package let surrogate: Span<UInt8>
  package let panEnvelope: Span<UInt8>

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    surrogate = try body.text(Self.surrogateField, atMost: StandInCaps.digits)
    panEnvelope = try body.bytes(Self.panEnvelopeField, atMost: StandInCaps.panEnvelope)
    guard surrogate.isEmpty != panEnvelope.isEmpty else { throw .badValue(Self.panEnvelopeField.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Self.surrogateField, surrogate, atMost: StandInCaps.digits)
    try writer.bytes(Self.panEnvelopeField, panEnvelope, atMost: StandInCaps.panEnvelope)
  }

  package static let surrogateField = Field(1, "surrogate", .string)
  package static let panEnvelopeField = Field(2, "pan_envelope", .bytes)
  package static let schema = MessageSchema("TokeniseReply", [surrogateField, panEnvelopeField])
}

/// The most bytes of what has to do with PANs and what stands in for them.
package enum StandInCaps {
  /// More than any PAN has, so that a wrong one costs a rejection and not the connection.
  package static let digits = 32
  package static let merchantIdentifier = 255
  /// Exactly.
  package static let transactionID = 32
  package static let panEnvelope = 128
}
