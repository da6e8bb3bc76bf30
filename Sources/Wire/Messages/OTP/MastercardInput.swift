/// What a tokenization authentication value of Mastercard is made from.
package struct MastercardInput: ~Escapable {
  /// 2, 3 or 4.
  package let version: UInt32
  /// Digits.
  package let accountNumber: Span<UInt8>
  /// MMYY.
  package let expiry: Span<UInt8>
  /// Version 2, where the token has one.
  package let tokenReference: Span<UInt8>
  /// Versions 3 and 4: seconds since 1970; zero for half an hour from now.
  package let validUntil: UInt64

  @_lifetime(copy accountNumber, copy expiry, copy tokenReference)
  package init(version: UInt32, accountNumber: Span<UInt8>, expiry: Span<UInt8>, tokenReference: Span<UInt8>, validUntil: UInt64) {
    self.version = version
    self.accountNumber = accountNumber
    self.expiry = expiry
    self.tokenReference = tokenReference
    self.validUntil = validUntil
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    version = try body.uint32(Fields.version)
    guard (2...4).contains(version) else { throw .badValue(Fields.version.number) }
    accountNumber = try body.text(Fields.accountNumber, atMost: 19)
    expiry = try body.text(Fields.expiry, atMost: 4)
    tokenReference = try body.text(Fields.tokenReference, atMost: 64)
    validUntil = try body.uint64(Fields.validUntil)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.version, UInt64(version))
    try writer.bytes(Fields.accountNumber, accountNumber, atMost: 19)
    try writer.bytes(Fields.expiry, expiry, atMost: 4)
    try writer.bytes(Fields.tokenReference, tokenReference, atMost: 64)
    try writer.uint(Fields.validUntil, validUntil)
  }

  private enum Fields {
    static let version = Field(1, "version", .uint32)
    static let accountNumber = Field(2, "account_number", .string)
    static let expiry = Field(3, "expiry", .string)
    static let tokenReference = Field(4, "token_reference", .string)
    static let validUntil = Field(5, "valid_until", .uint64)
  }

  package static let schema = MessageSchema(
    "MastercardInput", [Fields.version, Fields.accountNumber, Fields.expiry, Fields.tokenReference, Fields.validUntil])
}
