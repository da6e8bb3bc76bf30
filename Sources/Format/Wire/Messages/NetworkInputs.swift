/// What the values of payment networks are made from: at most one is there.
package struct NetworkInputs: ~Escapable {
  package enum Network: Sendable { case none, visa, mastercard, both }

  // Spelt out, since the short form would set them before `init` does.
  package var visa: Optional<VisaInput>
  package var mastercard: Optional<MastercardInput>

  @_lifetime(immortal) package init() {
    visa = nil
    mastercard = nil
  }

  // Not inlined: Swift 6.3 ends with an internal error over a switch on it in a build for fuzzing.
  @inline(never) package var network: Network {
    switch (visa == nil, mastercard == nil) {
    case (true, true): .none
    case (false, true): .visa
    case (true, false): .mastercard
    case (false, false): .both
    }
  }

  @_lifetime(self: copy self, copy visitor)
  mutating func visit(
    _ visitor: inout some Visitor, visa visaNumber: UInt32, mastercard mastercardNumber: UInt32
  ) throws(WireError) {
    try visitor.message(visaNumber, "visa", "VisaInput", &visa, atMost: Self.cap)
    try visitor.message(
      mastercardNumber, "mastercard", "MastercardInput", &mastercard, atMost: Self.cap)
  }

  /// Bytes of one.
  package static let cap = 256
}

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

  @_lifetime(immortal) package init() {
    nonce = Span()
    authenticationCode = Span()
    accountNumber = Span()
    expiry = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "type", "VisaType", &type)
    try visitor.bytes(2, "nonce", &nonce, .atMost(64))
    try visitor.text(3, "authentication_code", &authenticationCode, .atMost(32))
    try visitor.text(4, "account_number", &accountNumber, .atMost(19))
    try visitor.text(5, "expiry", &expiry, .atMost(4))
  }
}

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

  @_lifetime(immortal) package init() {
    accountNumber = Span()
    expiry = Span()
    tokenReference = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "version", &version, in: 2...4)
    try visitor.text(2, "account_number", &accountNumber, .atMost(19))
    try visitor.text(3, "expiry", &expiry, .atMost(4))
    try visitor.text(4, "token_reference", &tokenReference, .atMost(64))
    try visitor.uint64(5, "valid_until", &validUntil)
  }
}
