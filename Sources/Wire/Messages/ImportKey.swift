/// `import-key` and `import-block`: hands a key, decoded from its file by the operator's command or in a key block, to the key store.
package struct ImportKeyRequest: ~Escapable {
  package let label: String
  package let role: String
  /// RFC 5915, PKCS#1 or RFC 8410 DER, or the bytes of a symmetric key; in `import-block` the characters of a key block.
  package let privateKey: Span<UInt8>
  /// DER, or empty where the role needs none.
  package let certificate: Span<UInt8>
  /// Empty where the certificate names it.
  package let merchantIdentifier: String
  /// Whether the key is active at once, or waits for activation.
  package let activate: Bool
  /// Seconds since 1970; zero for the certificate's own end.
  package let notAfter: UInt64
  /// Of a key for one-time values.
  package let otp: OTPParameters
  /// Whether the key may leave under an exchange key.
  package let exportable: Bool

  @_lifetime(copy privateKey, copy certificate)
  package init(
    label: String, role: String, privateKey: Span<UInt8>, certificate: Span<UInt8>, merchantIdentifier: String, activate: Bool,
    notAfter: UInt64 = 0, otp: OTPParameters = OTPParameters(), exportable: Bool = false
  ) {
    self.label = label
    self.role = role
    self.privateKey = privateKey
    self.certificate = certificate
    self.merchantIdentifier = merchantIdentifier
    self.activate = activate
    self.notAfter = notAfter
    self.otp = otp
    self.exportable = exportable
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    label = try body.string(Fields.label, atMost: 128)
    role = try body.string(Fields.role, atMost: 64)
    privateKey = try body.bytes(Fields.privateKey, atMost: 8192)
    certificate = try body.bytes(Fields.certificate, atMost: 8192)
    merchantIdentifier = try body.string(Fields.merchantIdentifier, atMost: 255)
    activate = try body.bool(Fields.activate)
    notAfter = try body.uint64(Fields.notAfter)
    otp = try OTPParameters(optional: &body, Fields.otp)
    exportable = try body.bool(Fields.exportable)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.string(Fields.label, label)
    try writer.string(Fields.role, role)
    try writer.bytes(Fields.privateKey, privateKey)
    try writer.bytes(Fields.certificate, certificate)
    try writer.string(Fields.merchantIdentifier, merchantIdentifier)
    try writer.bool(Fields.activate, activate)
    try writer.uint(Fields.notAfter, notAfter)
    try otp.encode(optional: &writer, Fields.otp)
    try writer.bool(Fields.exportable, exportable)
  }

  private enum Fields {
    static let label = Field(1, "label", .string)
    static let role = Field(2, "role", .string)
    static let privateKey = Field(3, "private_key", .bytes)
    static let certificate = Field(4, "certificate", .bytes)
    static let merchantIdentifier = Field(5, "merchant_identifier", .string)
    static let activate = Field(6, "activate", .bool)
    static let notAfter = Field(7, "not_after", .uint64)
    static let otp = Field(8, "otp", .message("OtpParameters"))
    static let exportable = Field(9, "exportable", .bool)
  }

  package static let schema = MessageSchema(
    "ImportKeyRequest",
    [
      Fields.label, Fields.role, Fields.privateKey, Fields.certificate, Fields.merchantIdentifier, Fields.activate, Fields.notAfter, Fields.otp,
      Fields.exportable,
    ])
}
