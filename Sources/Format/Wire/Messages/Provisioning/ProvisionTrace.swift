/// `provision-trace`: the inputs of Apple's `encryptionlog.txt`; a rehearsal alone takes them.
package struct ProvisionTraceRequest: Message, ~Escapable {
  /// Apple's static key: 65 bytes on P-256.
  package var recipient: Span<UInt8>
  /// 32 bytes.
  package var ephemeralPrivateKey: Span<UInt8>
  package var passData: Span<UInt8>

  /// Bytes of pass data.
  package static let cap = 4096

  @_lifetime(immortal) package init() { (recipient, ephemeralPrivateKey, passData) = (Span(), Span(), Span()) }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "recipient", &recipient, .exactly(65))
    try visitor.bytes(2, "ephemeral_private_key", &ephemeralPrivateKey, .exactly(32))
    try visitor.bytes(3, "pass_data", &passData, .atMost(Self.cap))
  }
}

/// Every value on the way, by the names of `encryptionlog.txt`.
package struct ProvisionTraceReply: Message, ~Escapable {
  package var publicKeyHash: Span<UInt8>
  package var ephemeralPublicKey: Span<UInt8>
  package var sharedSecret: Span<UInt8>
  package var otherInfo: Span<UInt8>
  package var sharedKey: Span<UInt8>
  package var encryptedPassData: Span<UInt8>

  @_lifetime(immortal) package init() {
    (publicKeyHash, ephemeralPublicKey, sharedSecret, otherInfo, sharedKey, encryptedPassData) = (Span(), Span(), Span(), Span(), Span(), Span())
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "public_key_hash", &publicKeyHash, .exactly(32))
    try visitor.bytes(2, "ephemeral_public_key", &ephemeralPublicKey, .exactly(65))
    try visitor.bytes(3, "shared_secret", &sharedSecret, .exactly(32))
    try visitor.bytes(4, "other_info", &otherInfo, .exactly(84))
    try visitor.bytes(5, "shared_key", &sharedKey, .exactly(32))
    try visitor.bytes(6, "encrypted_pass_data", &encryptedPassData, .atMost(ProvisionTraceRequest.cap + 16))
  }
}
