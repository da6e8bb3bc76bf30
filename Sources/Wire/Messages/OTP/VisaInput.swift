/// The types of Visa's strings.
package enum VisaType: UInt8, CaseIterable, Sendable {
  case mbpac = 1
  case mbpad = 2
  case mpac = 3
  case mpad = 4
}

/// What a value for Visa Token Service is made from.
package struct VisaInput: ~Escapable {
  package let type: VisaType
  /// MBPAC, MPAC: as Apple gave it.
  package let nonce: Span<UInt8>
  /// MBPAC, MPAC: letters and digits.
  package let authenticationCode: Span<UInt8>
  /// MBPAD, MPAD: digits.
  package let accountNumber: Span<UInt8>
  /// MBPAD, MPAD: MMYY.
  package let expiry: Span<UInt8>

  @_lifetime(copy nonce, copy authenticationCode, copy accountNumber, copy expiry)
  package init(
    type: VisaType, nonce: Span<UInt8>, authenticationCode: Span<UInt8>, accountNumber: Span<UInt8>, expiry: Span<UInt8>
  ) {
    self.type = type
    self.nonce = nonce
    self.authenticationCode = authenticationCode
    self.accountNumber = accountNumber
    self.expiry = expiry
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    type = try body.enumeration(Fields.type)
    nonce = try body.bytes(Fields.nonce, atMost: 64)
    authenticationCode = try body.text(Fields.authenticationCode, atMost: 32)
    accountNumber = try body.text(Fields.accountNumber, atMost: 19)
    expiry = try body.text(Fields.expiry, atMost: 4)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.type, UInt64(type.rawValue))
    try writer.bytes(Fields.nonce, nonce, atMost: 64)
    try writer.bytes(Fields.authenticationCode, authenticationCode, atMost: 32)
    try writer.bytes(Fields.accountNumber, accountNumber, atMost: 19)
    try writer.bytes(Fields.expiry, expiry, atMost: 4)
  }

  private enum Fields {
    static let type = Field(1, "type", .enumeration("VisaType"))
    static let nonce = Field(2, "nonce", .bytes)
    static let authenticationCode = Field(3, "authentication_code", .string)
    static let accountNumber = Field(4, "account_number", .string)
    static let expiry = Field(5, "expiry", .string)
  }

  package static let schema = MessageSchema(
    "VisaInput", [Fields.type, Fields.nonce, Fields.authenticationCode, Fields.accountNumber, Fields.expiry])
}
