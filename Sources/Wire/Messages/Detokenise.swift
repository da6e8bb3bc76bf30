/// `detokenise`: the PAN that something stands in for.
package struct DetokeniseRequest: ~Escapable {
  /// ASCII digits, or empty where there is an envelope.
  package let surrogate: Span<UInt8>
  package let panEnvelope: Span<UInt8>
  package let merchantIdentifier: String
  /// 32 bytes that the envelope is bound to; empty for a surrogate.
  package let transactionID: Span<UInt8>

  @_lifetime(copy surrogate, copy panEnvelope, copy transactionID)
  package init(surrogate: Span<UInt8>, panEnvelope: Span<UInt8>, merchantIdentifier: String, transactionID: Span<UInt8>) {
    self.surrogate = surrogate
    self.panEnvelope = panEnvelope
    self.merchantIdentifier = merchantIdentifier
    self.transactionID = transactionID
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    surrogate = try body.text(Fields.surrogate, atMost: StandInCaps.digits)
    panEnvelope = try body.bytes(Fields.panEnvelope, atMost: StandInCaps.panEnvelope)
    guard surrogate.isEmpty != panEnvelope.isEmpty else { throw .badValue(Fields.panEnvelope.number) }
    merchantIdentifier = try body.string(Fields.merchantIdentifier, atMost: StandInCaps.merchantIdentifier)
    transactionID = try body.bytes(Fields.transactionID, absentOr: StandInCaps.transactionID)
    guard transactionID.isEmpty == panEnvelope.isEmpty else { throw .badValue(Fields.transactionID.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.surrogate, surrogate, atMost: StandInCaps.digits)
    try writer.bytes(Fields.panEnvelope, panEnvelope, atMost: StandInCaps.panEnvelope)
    try writer.bytes(Fields.merchantIdentifier, merchantIdentifier.utf8.span, atMost: StandInCaps.merchantIdentifier)
    try writer.bytes(Fields.transactionID, transactionID, absentOr: StandInCaps.transactionID)
  }

  private enum Fields {
    static let surrogate = Field(1, "surrogate", .string)
    static let panEnvelope = Field(2, "pan_envelope", .bytes)
    static let merchantIdentifier = Field(3, "merchant_identifier", .string)
    static let transactionID = Field(4, "transaction_id", .bytes)
  }

  package static let schema = MessageSchema(
    "DetokeniseRequest", [Fields.surrogate, Fields.panEnvelope, Fields.merchantIdentifier, Fields.transactionID])
}

package struct DetokeniseReply: ~Escapable {
  /// ASCII digits.
  package let pan: Span<UInt8>

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    pan = try body.text(Self.panField, atMost: StandInCaps.digits)
    guard !pan.isEmpty else { throw .badValue(Self.panField.number) }
    try body.end()
  }

  package static let panField = Field(1, "pan", .string)
  package static let schema = MessageSchema("DetokeniseReply", [panField])
}
