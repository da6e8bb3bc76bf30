/// `kdf`: derives a key from the secret behind a handle, which it spends.
package struct KDFRequest: ~Escapable {
  /// 16 bytes.
  package let handle: Span<UInt8>
  package let derivation: DerivationChoice
  /// Bytes to derive.
  package let count: Int
  /// OtherInfo, SharedInfo or info as one; not together with `otherInfo`.
  package let info: Span<UInt8>
  package let otherInfo: OtherInfo
  /// For HKDF alone.
  package let salt: Span<UInt8>
  /// Whether the key itself is asked for instead of a handle.
  package let release: Bool

  @_lifetime(copy handle, copy info, copy otherInfo, copy salt)
  package init(
    handle: Span<UInt8>, derivation: DerivationChoice, count: Int, info: Span<UInt8>, otherInfo: consuming OtherInfo, salt: Span<UInt8>,
    release: Bool
  ) {
    self.handle = handle
    self.derivation = derivation
    self.count = count
    self.info = info
    self.otherInfo = otherInfo
    self.salt = salt
    self.release = release
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    handle = try body.bytes(Fields.handle, exactly: PrimitiveCaps.handle)
    derivation = try body.enumeration(Fields.derivation)
    count = Int(try body.uint32(Fields.count))
    guard PrimitiveCaps.derived.contains(count) else { throw .badValue(Fields.count.number) }
    info = try body.bytes(Fields.info, atMost: PrimitiveCaps.info)
    otherInfo = try OtherInfo(MessageReader(try body.bytes(Fields.otherInfo, atMost: 5 * (PrimitiveCaps.info + 3))))
    guard info.isEmpty || otherInfo.isEmpty else { throw .badValue(Fields.otherInfo.number) }
    salt = try body.bytes(Fields.salt, atMost: PrimitiveCaps.info)
    release = try body.bool(Fields.release)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    guard info.isEmpty || otherInfo.isEmpty else { throw .badValue(Fields.otherInfo.number) }
    try writer.bytes(Fields.handle, handle, exactly: PrimitiveCaps.handle)
    try writer.uint(Fields.derivation, UInt64(derivation.rawValue))
    try writer.uint(Fields.count, UInt64(count))
    try writer.bytes(Fields.info, info, atMost: PrimitiveCaps.info)
    if !otherInfo.isEmpty {
      try writer.message(Fields.otherInfo) { (nested) throws(WireError) in try otherInfo.encode(into: &nested) }
    }
    try writer.bytes(Fields.salt, salt, atMost: PrimitiveCaps.info)
    try writer.bool(Fields.release, release)
  }

  private enum Fields {
    static let handle = Field(1, "handle", .bytes)
    static let derivation = Field(2, "derivation", .enumeration("Derivation"))
    static let count = Field(3, "count", .uint32)
    static let info = Field(4, "info", .bytes)
    static let otherInfo = Field(5, "other_info", .message("OtherInfo"))
    static let salt = Field(6, "salt", .bytes)
    static let release = Field(7, "release", .bool)
  }

  package static let schema = MessageSchema(
    "KdfRequest",
    [Fields.handle, Fields.derivation, Fields.count, Fields.info, Fields.otherInfo, Fields.salt, Fields.release])
}

/// Either a handle or the derived key.
package struct KDFReply: ~Escapable {
  /// 16 bytes, or empty.
  package let handle: Span<UInt8>
  package let derivedKey: Span<UInt8>

  @_lifetime(copy handle, copy derivedKey)
  package init(handle: Span<UInt8>, derivedKey: Span<UInt8>) {
    self.handle = handle
    self.derivedKey = derivedKey
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    handle = try body.bytes(Self.handleField, absentOr: PrimitiveCaps.handle)
    derivedKey = try body.bytes(Self.derivedKeyField, atMost: PrimitiveCaps.derived.upperBound)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Self.handleField, handle, absentOr: PrimitiveCaps.handle)
    try writer.bytes(Self.derivedKeyField, derivedKey, atMost: PrimitiveCaps.derived.upperBound)
  }

  package static let handleField = Field(1, "handle", .bytes)
  package static let derivedKeyField = Field(2, "derived_key", .bytes)
  package static let schema = MessageSchema("KdfReply", [handleField, derivedKeyField])
}
