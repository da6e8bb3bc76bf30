/// `detokenise`: the PAN that something stands in for.
package struct DetokeniseRequest: Message, ~Escapable {
  /// ASCII digits, or empty where there is an envelope.
  package var surrogate: Span<UInt8>
  package var panEnvelope: Span<UInt8>
  package var merchantIdentifier = ""
  /// 32 bytes that the envelope is bound to; empty for a surrogate.
  package var transactionID: Span<UInt8>

  @_lifetime(immortal) package init() { (surrogate, panEnvelope, transactionID) = (Span(), Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "surrogate", &surrogate, .atMost(StandInCaps.digits))
    try visitor.bytes(2, "pan_envelope", &panEnvelope, .atMost(StandInCaps.panEnvelope))
    try visitor.text(3, "merchant_identifier", &merchantIdentifier, .atMost(StandInCaps.merchantIdentifier))
    try visitor.bytes(4, "transaction_id", &transactionID, .absentOr(StandInCaps.transactionID))
  }

  package func check() throws(WireError) {
    guard surrogate.isEmpty != panEnvelope.isEmpty else { throw .badValue(WireField(2, "surrogate", "is needed, or pan_envelope, and not both")) }
    guard transactionID.isEmpty == panEnvelope.isEmpty else { throw .badValue(WireField(4, "transaction_id", "goes with pan_envelope, and that with it")) }
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
