/// `mac`: a message authentication code under a stored key, or under the key behind a handle.
package struct MACRequest: Message, ~Escapable {
  /// 16 bytes, or empty for the stored key.
  package var handle: Span<UInt8>
  /// With a handle alone: a stored key has its own.
  package var algorithm: MACChoice?
  /// Bytes of the code; zero for all of them.
  package var length = 0
  package var message: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    message = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(PrimitiveCaps.handle))
    try visitor.enumeration(2, "algorithm", "MacAlgorithm", &algorithm)
    try visitor.uint32(3, "length", &length, in: 0...PrimitiveCaps.mac)
    try visitor.bytes(4, "message", &message, .atMost(PrimitiveCaps.message))
  }

  package func check() throws(WireError) {
    guard handle.isEmpty == (algorithm == nil) else {
      throw .badValue(WireField(2, "algorithm", "goes with a handle, and a handle with it"))
    }
  }
}

package struct MACReply: Message, ~Escapable {
  package var mac: Span<UInt8>

  @_lifetime(immortal) package init() { mac = Span() }

  @_lifetime(copy mac) package init(mac: Span<UInt8>) { self.mac = mac }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "mac", &mac, .atMost(PrimitiveCaps.mac))
  }
}

/// `verify-mac`: whether a code is the key's; the reply says so by its status alone.
package struct VerifyMACRequest: Message, ~Escapable {
  /// What the code must be of.
  package var authenticated: MACRequest
  package var mac: Span<UInt8>

  @_lifetime(immortal) package init() {
    authenticated = MACRequest()
    mac = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try authenticated.visit(&visitor)
    try visitor.bytes(5, "mac", &mac, .atMost(PrimitiveCaps.mac))
  }

  package func check() throws(WireError) { try authenticated.check() }
}

/// A MAC algorithm for a key behind a handle; a stored key's record names its own. Numbers are
/// never reused.
package enum MACChoice: UInt8, CaseIterable, Sendable {
  case hmacSHA256 = 1
  case hmacSHA384 = 2
  case hmacSHA512 = 3
  case aesCMAC = 4
}
