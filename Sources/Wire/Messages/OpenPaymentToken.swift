/// `open-payment-token`: verify, open, release what policy allows.
package struct OpenPaymentTokenRequest: ~Escapable {
  package let token: PaymentTokenMessage
  /// What the caller wants of what it may have; empty asks for all of it.
  package let release: ReleasedFields
  /// ISO 4217 numeric, or empty when the caller states none.
  package let expectedCurrency: Span<UInt8>
  /// Minor units.
  package let expectedAmount: UInt64?
  /// SHA-256 of the request's application data, or empty.
  package let expectedApplicationData: Span<UInt8>

  @_lifetime(copy token, copy expectedCurrency, copy expectedApplicationData)
  package init(
    token: consuming PaymentTokenMessage, release: ReleasedFields, expectedCurrency: Span<UInt8>, expectedAmount: UInt64?,
    expectedApplicationData: Span<UInt8>
  ) {
    self.token = token
    self.release = release
    self.expectedCurrency = expectedCurrency
    self.expectedAmount = expectedAmount
    self.expectedApplicationData = expectedApplicationData
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    token = try PaymentTokenMessage(MessageReader(try body.bytes(Fields.token, atMost: PaymentTokenMessage.Caps.message)))
    var wanted: [ReleasedField] = []
    for number in try body.ascendingNumbers(Fields.release, atMost: 64) {
      guard let field = ReleasedField(rawValue: number) else { throw .badValue(Fields.release.number) }
      wanted.append(field)
    }
    release = ReleasedFields(wanted)
    expectedCurrency = try body.text(Fields.expectedCurrency, atMost: 3)
    expectedAmount = try body.optionalUInt64(Fields.expectedAmount)
    expectedApplicationData = try body.bytes(Fields.expectedApplicationData, absentOr: 32)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.message(Fields.token) { (nested) throws(WireError) in try token.encode(into: &nested) }
    try writer.ascendingNumbers(Fields.release, release.fields.map(\.rawValue))
    try writer.bytes(Fields.expectedCurrency, expectedCurrency, atMost: 3)
    if let expectedAmount { try writer.uint(Fields.expectedAmount, expectedAmount) }
    try writer.bytes(Fields.expectedApplicationData, expectedApplicationData, absentOr: 32)
  }

  private enum Fields {
    static let token = Field(1, "token", .message("PaymentToken"))
    static let release = Field(2, "release", .enumeration("ReleasedField"), .repeated)
    static let expectedCurrency = Field(3, "expected_currency", .string)
    static let expectedAmount = Field(4, "expected_amount", .uint64, .optional)
    static let expectedApplicationData = Field(5, "expected_application_data", .bytes)
  }

  package static let schema = MessageSchema(
    "OpenPaymentTokenRequest",
    [Fields.token, Fields.release, Fields.expectedCurrency, Fields.expectedAmount, Fields.expectedApplicationData])
}

/// The released fields of an opened token; a field that was not released, or that the token does not have, is empty.
package struct OpenPaymentTokenReply: ~Escapable {
  private let values: InlineArray<21, Range<Int>>
  private let body: Span<UInt8>
  /// Minor units; nil when not released.
  package let amount: UInt64?
  /// When Apple signed the token, in seconds since 1970.
  package let signingTime: UInt64

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) throws(WireError) {
    var values = InlineArray<21, Range<Int>>(repeating: 0..<0)
    var reader = MessageReader(bytes)
    var (amount, signingTime): (UInt64?, UInt64) = (nil, 0)
    for field in Self.fields {
      if field == Self.signingTimeField {
        signingTime = try reader.uint64(field)
      } else if field == Self.field(.amount) {
        amount = try reader.optionalUInt64(field)
      } else {
        let value = if field.kind == .bytes { try reader.bytes(field, atMost: bytes.count) } else { try reader.text(field, atMost: bytes.count) }
        if let range = bytes.byteOffsets(of: value) { values[Int(field.number)] = range }
      }
    }
    try reader.end()
    self.signingTime = signingTime
    self.values = values
    self.amount = amount
    body = bytes
  }

  /// The field's value: text as UTF-8, `raw` and the two nested objects as JSON.
  package subscript(_ field: ReleasedField) -> Span<UInt8> {
    @_lifetime(copy self)
    get { body.extracting(values[Int(field.rawValue)]) }
  }

  /// The schema's field of a released field.
  package static func field(_ field: ReleasedField) -> Field { fields[Int(field.rawValue) - 1] }

  package static let signingTimeField = Field(18, "signing_time", .uint64)

  package static let schema = MessageSchema("OpenPaymentTokenReply", fields)

  /// In the order of their numbers, which are those of `ReleasedField` but for one.
  private static let fields = (ReleasedField.allCases.map(releasedField) + [signingTimeField]).sorted { $0.number < $1.number }

  private static func releasedField(_ field: ReleasedField) -> Field {
    let name = String(field.name.map { $0 == "-" ? "_" : $0 })
    return switch field {
    case .amount: Field(UInt32(field.rawValue), name, .uint64, .optional)
    case .dpan, .last4, .bin, .network, .expiry, .currency, .cryptogram, .eci, .paymentDataType, .deviceManufacturer,
      .emvData, .encryptedPIN, .cardholderName, .authenticationResponses, .merchantToken, .surrogate:
      Field(UInt32(field.rawValue), name, .string)
    case .raw, .panEnvelope: Field(UInt32(field.rawValue), name, .bytes)
    }
  }
}

extension Span where Element == UInt8 {
  /// Where `part`, a slice of this span, lies in it; nil when it is empty.
  fileprivate func byteOffsets(of part: Span<UInt8>) -> Range<Int>? { part.isEmpty ? nil : indices(of: part) }
}
