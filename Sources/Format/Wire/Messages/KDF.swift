/// `kdf`: derives a key from the secret behind a handle, which it spends.
package struct KDFRequest: Message, ~Escapable {
  /// 16 bytes.
  package var handle: Span<UInt8>
  package var derivation = DerivationChoice.oneStepSHA256
  /// Bytes to derive.
  package var count = 0
  /// OtherInfo, SharedInfo or info as one; not together with `otherInfo`.
  package var info: Span<UInt8>
  package var otherInfo: OtherInfo
  /// For HKDF alone.
  package var salt: Span<UInt8>
  /// Whether the key itself is asked for instead of a handle.
  package var release = false

  @_lifetime(immortal) package init() { (handle, info, otherInfo, salt) = (Span(), Span(), OtherInfo(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .exactly(PrimitiveCaps.handle))
    try visitor.enumeration(2, "derivation", "Derivation", &derivation)
    try visitor.uint32(3, "count", &count, in: PrimitiveCaps.derived)
    try visitor.bytes(4, "info", &info, .atMost(PrimitiveCaps.info))
    try visitor.message(5, "other_info", "OtherInfo", &otherInfo, atMost: 5 * (PrimitiveCaps.info + 3))
    try visitor.bytes(6, "salt", &salt, .atMost(PrimitiveCaps.info))
    try visitor.bool(7, "release", &release)
  }

  package func check() throws(WireError) {
    guard info.isEmpty || otherInfo.isEmpty else { throw .badValue(WireField(5, "other_info", "does not go with info")) }
  }
}

/// Either a handle or the derived key.
package struct KDFReply: Message, ~Escapable {
  /// 16 bytes, or empty.
  package var handle: Span<UInt8>
  package var derivedKey: Span<UInt8>

  @_lifetime(immortal) package init() { (handle, derivedKey) = (Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(PrimitiveCaps.handle))
    try visitor.bytes(2, "derived_key", &derivedKey, .atMost(PrimitiveCaps.derived.upperBound))
  }
}
