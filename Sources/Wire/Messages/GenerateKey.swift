/// `generate-key`: has the daemon make a key inside, so that nobody ever sees it.
package struct GenerateKeyRequest: Hashable, Sendable {
  package var label = ""
  package var role = ""
  /// Such as `P-384` or `RSA-3072`; empty for the role's usual one.
  package var algorithm = ""
  /// Of a merchant's key.
  package var merchantIdentifier = ""
  /// Whether the key waits for its activation; a merchant's does anyhow, for its certificate.
  package var preActive = false
  /// Seconds since 1970; zero for none.
  package var notBefore, notAfter: UInt64
  /// Zero for any number of uses.
  package var useLimit: UInt64
  /// Whether it may leave under an exchange key.
  package var exportable = false
  /// Of a key for one-time values.
  package var otp = OTPParameters()

  package init(label: String, role: String, notBefore: UInt64 = 0, notAfter: UInt64 = 0, useLimit: UInt64 = 0) {
    (self.label, self.role, self.notBefore, self.notAfter, self.useLimit) = (label, role, notBefore, notAfter, useLimit)
  }

  package init(_ body: consuming MessageReader) throws(WireError) {
    label = try body.string(Fields.label, atMost: 128)
    role = try body.string(Fields.role, atMost: 64)
    algorithm = try body.string(Fields.algorithm, atMost: 32)
    merchantIdentifier = try body.string(Fields.merchantIdentifier, atMost: 255)
    preActive = try body.bool(Fields.preActive)
    notBefore = try body.uint64(Fields.notBefore)
    notAfter = try body.uint64(Fields.notAfter)
    useLimit = try body.uint64(Fields.useLimit)
    otp = try OTPParameters(optional: &body, Fields.otp)
    exportable = try body.bool(Fields.exportable)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.string(Fields.label, label)
    try writer.string(Fields.role, role)
    try writer.string(Fields.algorithm, algorithm)
    try writer.string(Fields.merchantIdentifier, merchantIdentifier)
    try writer.bool(Fields.preActive, preActive)
    try writer.uint(Fields.notBefore, notBefore)
    try writer.uint(Fields.notAfter, notAfter)
    try writer.uint(Fields.useLimit, useLimit)
    try otp.encode(optional: &writer, Fields.otp)
    try writer.bool(Fields.exportable, exportable)
  }

  private enum Fields {
    static let label = Field(1, "label", .string)
    static let role = Field(2, "role", .string)
    static let algorithm = Field(3, "algorithm", .string)
    static let merchantIdentifier = Field(4, "merchant_identifier", .string)
    static let preActive = Field(5, "pre_active", .bool)
    static let notBefore = Field(6, "not_before", .uint64)
    static let notAfter = Field(7, "not_after", .uint64)
    static let useLimit = Field(8, "use_limit", .uint64)
    static let otp = Field(9, "otp", .message("OtpParameters"))
    static let exportable = Field(10, "exportable", .bool)
  }

  package static let schema = MessageSchema(
    "GenerateKeyRequest",
    [
      Fields.label, Fields.role, Fields.algorithm, Fields.merchantIdentifier, Fields.preActive, Fields.notBefore, Fields.notAfter, Fields.useLimit, Fields.otp,
      Fields.exportable,
    ])
}
