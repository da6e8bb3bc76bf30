/// What a tokenization authentication value of Mastercard is made from.
package struct MastercardInput: Message, ~Escapable {
  /// 2, 3 or 4.
  package var version = 2
  /// Digits.
  package var accountNumber: Span<UInt8>
  /// MMYY.
  package var expiry: Span<UInt8>
  /// Version 2, where the token has one.
  package var tokenReference: Span<UInt8>
  /// Versions 3 and 4: seconds since 1970; zero for half an hour from now.
  package var validUntil: UInt64 = 0

  @_lifetime(immortal) package init() { (accountNumber, expiry, tokenReference) = (Span(), Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "version", &version, in: 2...4)
    try visitor.text(2, "account_number", &accountNumber, .atMost(19))
    try visitor.text(3, "expiry", &expiry, .atMost(4))
    try visitor.text(4, "token_reference", &tokenReference, .atMost(64))
    try visitor.uint64(5, "valid_until", &validUntil)
  }
}
