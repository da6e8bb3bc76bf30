/// `seal`: AES-256-GCM under a stored key, or under the key behind a handle.
package struct SealRequest: ~Escapable {
  /// 16 bytes, or empty for the stored key.
  package let handle: Span<UInt8>
  /// Empty: the daemon draws the nonce, and refuses one of the caller's [OP-SEAL-4].
  package let iv: Span<UInt8>
  package let plaintext: Span<UInt8>
  package let associatedData: Span<UInt8>

  @_lifetime(copy handle, copy iv, copy plaintext, copy associatedData)
  package init(handle: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>, associatedData: Span<UInt8>) {
    self.handle = handle
    self.iv = iv
    self.plaintext = plaintext
    self.associatedData = associatedData
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    handle = try body.bytes(Fields.handle, absentOr: PrimitiveCaps.handle)
    iv = try body.iv(Fields.iv)
    plaintext = try body.bytes(Fields.plaintext, atMost: PrimitiveCaps.message)
    associatedData = try body.bytes(Fields.associatedData, atMost: PrimitiveCaps.associatedData)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.handle, handle, absentOr: PrimitiveCaps.handle)
    try writer.iv(Fields.iv, iv)
    try writer.bytes(Fields.plaintext, plaintext, atMost: PrimitiveCaps.message)
    try writer.bytes(Fields.associatedData, associatedData, atMost: PrimitiveCaps.associatedData)
  }

  private enum Fields {
    static let handle = Field(1, "handle", .bytes)
    static let iv = Field(2, "iv", .bytes)
    static let plaintext = Field(3, "plaintext", .bytes)
    static let associatedData = Field(4, "associated_data", .bytes)
  }

  package static let schema = MessageSchema("SealRequest", [Fields.handle, Fields.iv, Fields.plaintext, Fields.associatedData])
}

package struct SealReply: ~Escapable {
  /// An envelope.
  package let sealed: Span<UInt8>

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    sealed = try body.bytes(Self.sealedField, atMost: PrimitiveCaps.sealed)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Self.sealedField, sealed, atMost: PrimitiveCaps.sealed)
  }

  package static let sealedField = Field(1, "sealed", .bytes)
  package static let schema = MessageSchema("SealReply", [sealedField])
}

extension MessageReader {
  /// 12 or 16 bytes, or none.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  mutating func iv(_ field: Field) throws(WireError) -> Span<UInt8> {
    let value = try bytes(field, atMost: 16)
    guard [0, 12, 16].contains(value.count) else { throw .badValue(field.number) }
    return value
  }
}

extension MessageWriter {
  @_lifetime(self: copy self)
  mutating func iv(_ field: Field, _ value: Span<UInt8>) throws(WireError) {
    guard [0, 12, 16].contains(value.count) else { throw .badValue(field.number) }
    try bytes(field, value)
  }
}
