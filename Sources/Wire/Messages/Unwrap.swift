/// `unwrap`: opens a secret that was wrapped for an RSA key, to a handle.
package struct UnwrapRequest: ~Escapable {
  /// As long as the key's modulus.
  package let wrappedKey: Span<UInt8>

  @_lifetime(copy wrappedKey)
  package init(wrappedKey: Span<UInt8>) { self.wrappedKey = wrappedKey }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    wrappedKey = try body.bytes(Fields.wrappedKey, atMost: PrimitiveCaps.modulus)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.wrappedKey, wrappedKey, atMost: PrimitiveCaps.modulus)
  }

  private enum Fields {
    static let wrappedKey = Field(1, "wrapped_key", .bytes)
  }

  package static let schema = MessageSchema("UnwrapRequest", [Fields.wrappedKey])
}

package struct UnwrapReply: ~Escapable {
  /// 16 bytes.
  package let handle: Span<UInt8>

  @_lifetime(copy handle)
  package init(handle: Span<UInt8>) { self.handle = handle }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    handle = try body.bytes(Fields.handle, exactly: PrimitiveCaps.handle)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.handle, handle, exactly: PrimitiveCaps.handle)
  }

  private enum Fields {
    static let handle = Field(1, "handle", .bytes)
  }

  package static let schema = MessageSchema("UnwrapReply", [Fields.handle])
}
