internal import Encoding

/// What anyone who may use a key may know of it; the reply of `describe-key` and `import-key`, and an element of `list-keys`.
package struct KeyDescription: Hashable, Sendable {
  /// 16 bytes.
  package var id: [UInt8] = []
  package var label = ""
  package var role = ""
  package var state = ""
  /// Such as `P-256` or `RSA-2048`.
  package var algorithm = ""
  /// The key block header's usage, algorithm and mode, such as `K3 E X`.
  package var usage = ""
  package var merchantIdentifier = ""
  /// SubjectPublicKeyInfo of an asymmetric key; left out of listings.
  package var publicKey: [UInt8] = []
  /// SHA-256 of the SubjectPublicKeyInfo (32 bytes) or the KCV of a symmetric key (5 bytes).
  package var checkValue: [UInt8] = []
  /// DER; left out of listings.
  package var certificate: [UInt8] = []
  /// Seconds since 1970; zero where not known.
  package var created: UInt64 = 0
  package var activated: UInt64 = 0
  package var notAfter: UInt64 = 0
  package var lastUse: UInt64 = 0
  package var uses: UInt64 = 0
  /// Of a key for one-time values.
  package var otp = OTPParameters()
  /// Whether the key may leave under an exchange key.
  package var exportable = false

  package init() {}

  package init(_ body: consuming MessageReader) throws(WireError) {
    let id = try body.bytes(Fields.id, exactly: KeyID.byteCount)
    self.id = id.array
    label = try body.string(Fields.label, atMost: 128)
    role = try body.string(Fields.role, atMost: 64)
    state = try body.string(Fields.state, atMost: 32)
    algorithm = try body.string(Fields.algorithm, atMost: 32)
    usage = try body.string(Fields.usage, atMost: 16)
    merchantIdentifier = try body.string(Fields.merchantIdentifier, atMost: 255)
    let publicKey = try body.bytes(Fields.publicKey, atMost: 1024)
    self.publicKey = publicKey.array
    let checkValue = try body.bytes(Fields.checkValue, atMost: 32)
    self.checkValue = checkValue.array
    let certificate = try body.bytes(Fields.certificate, atMost: 8192)
    self.certificate = certificate.array
    created = try body.uint64(Fields.created)
    activated = try body.uint64(Fields.activated)
    notAfter = try body.uint64(Fields.notAfter)
    lastUse = try body.uint64(Fields.lastUse)
    uses = try body.uint64(Fields.uses)
    otp = try OTPParameters(optional: &body, Fields.otp)
    exportable = try body.bool(Fields.exportable)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.id, id.span)
    try writer.string(Fields.label, label)
    try writer.string(Fields.role, role)
    try writer.string(Fields.state, state)
    try writer.string(Fields.algorithm, algorithm)
    try writer.string(Fields.usage, usage)
    try writer.string(Fields.merchantIdentifier, merchantIdentifier)
    try writer.bytes(Fields.publicKey, publicKey.span)
    try writer.bytes(Fields.checkValue, checkValue.span)
    try writer.bytes(Fields.certificate, certificate.span)
    try writer.uint(Fields.created, created)
    try writer.uint(Fields.activated, activated)
    try writer.uint(Fields.notAfter, notAfter)
    try writer.uint(Fields.lastUse, lastUse)
    try writer.uint(Fields.uses, uses)
    try otp.encode(optional: &writer, Fields.otp)
    try writer.bool(Fields.exportable, exportable)
  }

  private enum Fields {
    static let id = Field(1, "id", .bytes)
    static let label = Field(2, "label", .string)
    static let role = Field(3, "role", .string)
    static let state = Field(4, "state", .string)
    static let algorithm = Field(5, "algorithm", .string)
    static let usage = Field(6, "usage", .string)
    static let merchantIdentifier = Field(7, "merchant_identifier", .string)
    static let publicKey = Field(8, "public_key", .bytes)
    static let checkValue = Field(9, "check_value", .bytes)
    static let certificate = Field(10, "certificate", .bytes)
    static let created = Field(11, "created", .uint64)
    static let activated = Field(12, "activated", .uint64)
    static let notAfter = Field(13, "not_after", .uint64)
    static let lastUse = Field(14, "last_use", .uint64)
    static let uses = Field(15, "uses", .uint64)
    static let otp = Field(16, "otp", .message("OtpParameters"))
    static let exportable = Field(17, "exportable", .bool)
  }

  package static let schema = MessageSchema(
    "KeyDescription",
    [
      Fields.id, Fields.label, Fields.role, Fields.state, Fields.algorithm, Fields.usage, Fields.merchantIdentifier, Fields.publicKey,
      Fields.checkValue, Fields.certificate, Fields.created, Fields.activated, Fields.notAfter, Fields.lastUse, Fields.uses, Fields.otp,
      Fields.exportable,
    ])
}
