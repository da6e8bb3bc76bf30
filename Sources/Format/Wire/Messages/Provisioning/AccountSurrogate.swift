/// A card's number by its surrogate, which the daemon turns back where the number is used.
package struct AccountSurrogate: Message, ~Escapable {
  package var surrogate: Span<UInt8>
  /// 16 bytes, the key that made it.
  package var key: Span<UInt8>
  package var merchantIdentifier = ""

  @_lifetime(immortal) package init() { (surrogate, key) = (Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "surrogate", &surrogate, .oneTo(StandInCaps.digits))
    try visitor.bytes(2, "key", &key, .exactly(16))
    try visitor.text(3, "merchant_identifier", &merchantIdentifier, .atMost(StandInCaps.merchantIdentifier))
  }

  /// Bytes of one.
  package static let cap = 512
}
