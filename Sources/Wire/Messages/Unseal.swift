/// `unseal`: opens what AES-256-GCM sealed.
package struct UnsealRequest: ~Escapable {
  /// 16 bytes, or empty for the stored key.
  package let handle: Span<UInt8>
  /// 12 or 16 bytes for what others sealed; empty for an envelope.
  package let iv: Span<UInt8>
  /// An envelope; ciphertext and tag where there is an IV.
  package let sealed: Span<UInt8>
  package let associatedData: Span<UInt8>

  @_lifetime(copy handle, copy iv, copy sealed, copy associatedData)
  package init(handle: Span<UInt8>, iv: Span<UInt8>, sealed: Span<UInt8>, associatedData: Span<UInt8>) {
    self.handle = handle
    self.iv = iv
    self.sealed = sealed
    self.associatedData = associatedData
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    handle = try body.bytes(Fields.handle, absentOr: PrimitiveCaps.handle)
    iv = try body.iv(Fields.iv)
    sealed = try body.bytes(Fields.sealed, atMost: PrimitiveCaps.sealed)
    associatedData = try body.bytes(Fields.associatedData, atMost: PrimitiveCaps.associatedData)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.handle, handle, absentOr: PrimitiveCaps.handle)
    try writer.iv(Fields.iv, iv)
    try writer.bytes(Fields.sealed, sealed, atMost: PrimitiveCaps.sealed)
    try writer.bytes(Fields.associatedData, associatedData, atMost: PrimitiveCaps.associatedData)
  }

  private enum Fields {
    static let handle = Field(1, "handle", .bytes)
    static let iv = Field(2, "iv", .bytes)
    static let sealed = Field(3, "sealed", .bytes)
    static let associatedData = Field(4, "associated_data", .bytes)
  }

  package static let schema = MessageSchema("UnsealRequest", [Fields.handle, Fields.iv, Fields.sealed, Fields.associatedData])
}

package struct UnsealReply: ~Escapable {
  /// Empty where nothing was sealed.
  package let plaintext: Span<UInt8>

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    plaintext = try body.bytes(Self.plaintextField, atMost: PrimitiveCaps.sealed)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Self.plaintextField, plaintext, atMost: PrimitiveCaps.sealed)
  }

  package static let plaintextField = Field(1, "plaintext", .bytes)
  package static let schema = MessageSchema("UnsealReply", [plaintextField])
}
