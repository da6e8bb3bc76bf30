/// `detokenise`: the PAN that a surrogate stands in for.
package struct DetokeniseRequest: Message, ~Escapable {
  /// ASCII digits.
  package var surrogate: Span<UInt8>
  package var merchantIdentifier = ""

  @_lifetime(immortal) package init() { surrogate = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "surrogate", &surrogate, .oneTo(StandInCaps.digits))
    try visitor.text(3, "merchant_identifier", &merchantIdentifier, .atMost(StandInCaps.merchantIdentifier))
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
