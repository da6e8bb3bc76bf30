/// `ecdh`: agrees on a shared secret with a peer's public key.
package struct ECDHRequest: Message, ~Escapable {
  /// An uncompressed point, or a SubjectPublicKeyInfo with a named curve.
  package var peer: Span<UInt8>
  /// Whether Z itself is asked for instead of a handle.
  package var release = false

  @_lifetime(immortal) package init() { peer = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "peer", &peer, .atMost(PrimitiveCaps.peer))
    try visitor.bool(2, "release", &release)
  }
}

/// Either a handle or Z.
package struct ECDHReply: Message, ~Escapable {
  /// 16 bytes, or empty.
  package var handle: Span<UInt8>
  package var sharedSecret: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    sharedSecret = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(PrimitiveCaps.handle))
    try visitor.bytes(2, "shared_secret", &sharedSecret, .atMost(PrimitiveCaps.sharedSecret))
  }
}

/// `unwrap`: opens a secret that was wrapped for an RSA key, to a handle.
package struct UnwrapRequest: Message, ~Escapable {
  /// As long as the key's modulus.
  package var wrappedKey: Span<UInt8>

  @_lifetime(immortal) package init() { wrappedKey = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "wrapped_key", &wrappedKey, .atMost(PrimitiveCaps.modulus))
  }
}

package struct UnwrapReply: Message, ~Escapable {
  /// 16 bytes.
  package var handle: Span<UInt8>

  @_lifetime(immortal) package init() { handle = Span() }

  @_lifetime(copy handle) package init(handle: Span<UInt8>) { self.handle = handle }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .exactly(PrimitiveCaps.handle))
  }
}

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

  @_lifetime(immortal) package init() {
    handle = Span()
    info = Span()
    otherInfo = OtherInfo()
    salt = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .exactly(PrimitiveCaps.handle))
    try visitor.enumeration(2, "derivation", "Derivation", &derivation)
    try visitor.uint32(3, "count", &count, in: PrimitiveCaps.derived)
    try visitor.bytes(4, "info", &info, .atMost(PrimitiveCaps.info))
    try visitor.message(
      5, "other_info", "OtherInfo", &otherInfo, atMost: 5 * (PrimitiveCaps.info + 3))
    try visitor.bytes(6, "salt", &salt, .atMost(PrimitiveCaps.info))
    try visitor.bool(7, "release", &release)
  }

  package func check() throws(WireError) {
    guard info.isEmpty || otherInfo.isEmpty else {
      throw .badValue(WireField(5, "other_info", "does not go with info"))
    }
  }
}

/// Either a handle or the derived key.
package struct KDFReply: Message, ~Escapable {
  /// 16 bytes, or empty.
  package var handle: Span<UInt8>
  package var derivedKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    derivedKey = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(PrimitiveCaps.handle))
    try visitor.bytes(2, "derived_key", &derivedKey, .atMost(PrimitiveCaps.derived.upperBound))
  }
}

/// A key derivation function with its hash; numbers are never reused.
package enum DerivationChoice: UInt8, CaseIterable, Sendable {
  case oneStepSHA256 = 1
  case oneStepSHA384 = 2
  case oneStepSHA512 = 3
  case x963SHA256 = 4
  case x963SHA384 = 5
  case x963SHA512 = 6
  case hkdfSHA256 = 7
  case hkdfSHA384 = 8
  case hkdfSHA512 = 9
}

/// OtherInfo in the parts of SP 800-56A r1 §5.8.1.2.1; they are put behind one another as they are,
/// so a part that has a length in front of it brings it along.
package struct OtherInfo: Message, ~Escapable {
  package var algorithmID: Span<UInt8>
  package var partyUInfo: Span<UInt8>
  package var partyVInfo: Span<UInt8>
  package var suppPubInfo: Span<UInt8>
  package var suppPrivInfo: Span<UInt8>

  @_lifetime(immortal) package init() {
    algorithmID = Span()
    partyUInfo = Span()
    partyVInfo = Span()
    suppPubInfo = Span()
    suppPrivInfo = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "algorithm_id", &algorithmID, .atMost(PrimitiveCaps.info))
    try visitor.bytes(2, "party_u_info", &partyUInfo, .atMost(PrimitiveCaps.info))
    try visitor.bytes(3, "party_v_info", &partyVInfo, .atMost(PrimitiveCaps.info))
    try visitor.bytes(4, "supp_pub_info", &suppPubInfo, .atMost(PrimitiveCaps.info))
    try visitor.bytes(5, "supp_priv_info", &suppPrivInfo, .atMost(PrimitiveCaps.info))
  }

  package var isEmpty: Bool { count == 0 }

  /// Bytes of the whole.
  package var count: Int {
    algorithmID.count + partyUInfo.count + partyVInfo.count + suppPubInfo.count + suppPrivInfo.count
  }
}

/// `release-handle`: gives up the secret behind a handle before its time.
package struct ReleaseHandleRequest: Message, ~Escapable {
  /// 16 bytes.
  package var handle: Span<UInt8>

  @_lifetime(immortal) package init() { handle = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .exactly(PrimitiveCaps.handle))
  }
}
