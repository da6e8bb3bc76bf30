/// `audit-digest`: how the audit log writes a value that could be guessed.
package struct AuditDigestRequest: ~Escapable {
  package let field: DigestField
  /// Of a PAN its ASCII digits.
  package let value: Span<UInt8>

  /// The most bytes of a value.
  package static let valueLimit = 32

  @_lifetime(copy value)
  package init(_ field: DigestField, _ value: Span<UInt8>) { (self.field, self.value) = (field, value) }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    field = try body.enumeration(Fields.field)
    value = try body.bytes(Fields.value, atMost: Self.valueLimit)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.field, UInt64(field.rawValue))
    try writer.bytes(Fields.value, value, atMost: Self.valueLimit)
  }

  private enum Fields {
    static let field = Field(1, "field", .enumeration("DigestField"))
    static let value = Field(2, "value", .bytes)
  }

  package static let schema = MessageSchema("AuditDigestRequest", [Fields.field, Fields.value])
}

package struct AuditDigestReply: Hashable, Sendable {
  /// `hmac-sha256:` and 64 digits.
  package let digest: String

  /// Bytes of the text.
  package static let digestLimit = 76

  package init(digest: String) { self.digest = digest }

  package init(_ body: consuming MessageReader) throws(WireError) {
    digest = try body.string(Fields.digest, atMost: Self.digestLimit)
    guard !digest.isEmpty else { throw .badValue(Fields.digest.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.string(Fields.digest, digest) }

  private enum Fields {
    static let digest = Field(1, "digest", .string)
  }

  package static let schema = MessageSchema("AuditDigestReply", [Fields.digest])
}
