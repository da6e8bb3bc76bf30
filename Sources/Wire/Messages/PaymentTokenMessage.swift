/// The two token formats Apple documents.
package enum PaymentTokenVersion: UInt8, CaseIterable, Sendable {
  case ecV1 = 1
  case rsaV1 = 2
}

/// A payment token's fields, decoded from the base64 and hex of Apple's JSON; the client unpacks, the daemon never parses the JSON.
package struct PaymentTokenMessage: ~Escapable {
  package let version: PaymentTokenVersion
  /// Ciphertext and 16-byte tag.
  package let data: Span<UInt8>
  /// Detached CMS SignedData.
  package let signature: Span<UInt8>
  /// EC_v1: a 91-byte SubjectPublicKeyInfo; empty for RSA_v1.
  package let ephemeralPublicKey: Span<UInt8>
  /// RSA_v1: the modulus' size; empty for EC_v1.
  package let wrappedKey: Span<UInt8>
  /// 32 bytes.
  package let publicKeyHash: Span<UInt8>
  /// 32 bytes.
  package let transactionID: Span<UInt8>
  /// 32 bytes, or empty when the token has none.
  package let applicationData: Span<UInt8>

  @_lifetime(copy data, copy signature, copy ephemeralPublicKey, copy wrappedKey, copy publicKeyHash, copy transactionID, copy applicationData)
  package init(
    version: PaymentTokenVersion, data: Span<UInt8>, signature: Span<UInt8>, ephemeralPublicKey: Span<UInt8>,
    wrappedKey: Span<UInt8>, publicKeyHash: Span<UInt8>, transactionID: Span<UInt8>, applicationData: Span<UInt8>
  ) {
    self.version = version
    self.data = data
    self.signature = signature
    self.ephemeralPublicKey = ephemeralPublicKey
    self.wrappedKey = wrappedKey
    self.publicKeyHash = publicKeyHash
    self.transactionID = transactionID
    self.applicationData = applicationData
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    version = try body.enumeration(Fields.version)
    data = try body.bytes(Fields.data, atMost: Caps.data)
    signature = try body.bytes(Fields.signature, atMost: Caps.signature)
    ephemeralPublicKey = try body.bytes(Fields.ephemeralPublicKey, atMost: Caps.key)
    wrappedKey = try body.bytes(Fields.wrappedKey, atMost: Caps.key)
    publicKeyHash = try body.bytes(Fields.publicKeyHash, exactly: 32)
    transactionID = try body.bytes(Fields.transactionID, exactly: 32)
    applicationData = try body.bytes(Fields.applicationData, absentOr: 32)
    try body.end()
  }

  /// - Throws: `WireError.tooLong` or `.badValue` for a field whose size the daemon would refuse: a token comes from a stranger.
  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.version, UInt64(version.rawValue))
    try writer.bytes(Fields.data, data, atMost: Caps.data)
    try writer.bytes(Fields.signature, signature, atMost: Caps.signature)
    try writer.bytes(Fields.ephemeralPublicKey, ephemeralPublicKey, atMost: Caps.key)
    try writer.bytes(Fields.wrappedKey, wrappedKey, atMost: Caps.key)
    try writer.bytes(Fields.publicKeyHash, publicKeyHash, exactly: 32)
    try writer.bytes(Fields.transactionID, transactionID, exactly: 32)
    try writer.bytes(Fields.applicationData, applicationData, absentOr: 32)
  }

  /// The most each field takes, in bytes.
  package enum Caps {
    package static let data = 64 * 1024
    package static let signature = 16 * 1024
    package static let key = 1024
    /// All fields and their tags.
    package static let message = data + signature + 2 * key + 256
  }

  private enum Fields {
    static let version = Field(1, "version", .enumeration("PaymentTokenVersion"))
    static let data = Field(2, "data", .bytes)
    static let signature = Field(3, "signature", .bytes)
    static let ephemeralPublicKey = Field(4, "ephemeral_public_key", .bytes)
    static let wrappedKey = Field(5, "wrapped_key", .bytes)
    static let publicKeyHash = Field(6, "public_key_hash", .bytes)
    static let transactionID = Field(7, "transaction_id", .bytes)
    static let applicationData = Field(8, "application_data", .bytes)
  }

  package static let schema = MessageSchema(
    "PaymentToken",
    [
      Fields.version, Fields.data, Fields.signature, Fields.ephemeralPublicKey, Fields.wrappedKey, Fields.publicKeyHash,
      Fields.transactionID, Fields.applicationData,
    ])
}
