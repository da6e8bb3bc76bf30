/// `release-handle`: gives up the secret behind a handle before its time.
package struct ReleaseHandleRequest: ~Escapable {
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

  package static let schema = MessageSchema("ReleaseHandleRequest", [Fields.handle])
}
