/// What a value for Visa Token Service is made from.
package struct VisaInput: Message, ~Escapable {
  package var type = VisaType.mbpac
  /// MBPAC, MPAC: as Apple gave it.
  package var nonce: Span<UInt8>
  /// MBPAC, MPAC: letters and digits.
  package var authenticationCode: Span<UInt8>
  /// MBPAD, MPAD: digits.
  package var accountNumber: Span<UInt8>
  /// MBPAD, MPAD: MMYY.
  package var expiry: Span<UInt8>

  @_lifetime(immortal) package init() { (nonce, authenticationCode, accountNumber, expiry) = (Span(), Span(), Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "type", "VisaType", &type)
    try visitor.bytes(2, "nonce", &nonce, .atMost(64))
    try visitor.text(3, "authentication_code", &authenticationCode, .atMost(32))
    try visitor.text(4, "account_number", &accountNumber, .atMost(19))
    try visitor.text(5, "expiry", &expiry, .atMost(4))
  }
}
