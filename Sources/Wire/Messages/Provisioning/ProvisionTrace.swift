/// `provision-trace`: the inputs of Apple's `encryptionlog.txt`; a rehearsal alone takes them.
package struct ProvisionTraceRequest: ~Escapable {
  /// Apple's static key: 65 bytes on P-256.
  package let recipient: Span<UInt8>
  /// 32 bytes.
  package let ephemeralPrivateKey: Span<UInt8>
  package let passData: Span<UInt8>

  @_lifetime(copy recipient, copy ephemeralPrivateKey, copy passData)
  package init(recipient: Span<UInt8>, ephemeralPrivateKey: Span<UInt8>, passData: Span<UInt8>) {
    self.recipient = recipient
    self.ephemeralPrivateKey = ephemeralPrivateKey
    self.passData = passData
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    recipient = try body.bytes(Fields.recipient, exactly: 65)
    ephemeralPrivateKey = try body.bytes(Fields.ephemeralPrivateKey, exactly: 32)
    passData = try body.bytes(Fields.passData, atMost: Self.cap)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.recipient, recipient, exactly: 65)
    try writer.bytes(Fields.ephemeralPrivateKey, ephemeralPrivateKey, exactly: 32)
    try writer.bytes(Fields.passData, passData, atMost: Self.cap)
  }

  /// Bytes of pass data.
  package static let cap = 4096

  private enum Fields {
    static let recipient = Field(1, "recipient", .bytes)
    static let ephemeralPrivateKey = Field(2, "ephemeral_private_key", .bytes)
    static let passData = Field(3, "pass_data", .bytes)
  }

  package static let schema = MessageSchema("ProvisionTraceRequest", [Fields.recipient, Fields.ephemeralPrivateKey, Fields.passData])
}

/// Every value on the way, by the names of `encryptionlog.txt`.
package struct ProvisionTraceReply: ~Escapable {
  package let publicKeyHash, ephemeralPublicKey, sharedSecret, otherInfo, sharedKey, encryptedPassData: Span<UInt8>

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    publicKeyHash = try body.bytes(Self.publicKeyHashField, exactly: 32)
    ephemeralPublicKey = try body.bytes(Self.ephemeralPublicKeyField, exactly: 65)
    sharedSecret = try body.bytes(Self.sharedSecretField, exactly: 32)
    otherInfo = try body.bytes(Self.otherInfoField, exactly: 84)
    sharedKey = try body.bytes(Self.sharedKeyField, exactly: 32)
    encryptedPassData = try body.bytes(Self.encryptedPassDataField, atMost: ProvisionTraceRequest.cap + 16)
    try body.end()
  }

  package static let publicKeyHashField = Field(1, "public_key_hash", .bytes)
  package static let ephemeralPublicKeyField = Field(2, "ephemeral_public_key", .bytes)
  package static let sharedSecretField = Field(3, "shared_secret", .bytes)
  package static let otherInfoField = Field(4, "other_info", .bytes)
  package static let sharedKeyField = Field(5, "shared_key", .bytes)
  package static let encryptedPassDataField = Field(6, "encrypted_pass_data", .bytes)
  package static let schema = MessageSchema(
    "ProvisionTraceReply",
    [publicKeyHashField, ephemeralPublicKeyField, sharedSecretField, otherInfoField, sharedKeyField, encryptedPassDataField])
}
