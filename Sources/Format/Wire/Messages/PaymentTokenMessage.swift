/// A payment token's fields, decoded from the base64 and hex of Apple's JSON; the client unpacks,
/// the daemon never parses the JSON.
package struct PaymentTokenMessage: Message, ~Escapable {
  package var version = ApplePayTokenVersion.ecV1
  /// Ciphertext and 16-byte tag.
  package var data: Span<UInt8>
  /// Detached CMS SignedData.
  package var signature: Span<UInt8>
  /// EC_v1: a 91-byte SubjectPublicKeyInfo; empty for RSA_v1.
  package var ephemeralPublicKey: Span<UInt8>
  /// RSA_v1: the modulus' size; empty for EC_v1.
  package var wrappedKey: Span<UInt8>
  /// 32 bytes.
  package var publicKeyHash: Span<UInt8>
  /// 32 bytes.
  package var transactionID: Span<UInt8>
  /// 32 bytes, or empty when the token has none.
  package var applicationData: Span<UInt8>

  @_lifetime(immortal) package init() {
    data = Span()
    signature = Span()
    ephemeralPublicKey = Span()
    wrappedKey = Span()
    publicKeyHash = Span()
    transactionID = Span()
    applicationData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "version", "TokenVersion", &version)
    try visitor.bytes(2, "data", &data, .atMost(Caps.data))
    try visitor.bytes(3, "signature", &signature, .atMost(Caps.signature))
    try visitor.bytes(4, "ephemeral_public_key", &ephemeralPublicKey, .atMost(Caps.key))
    try visitor.bytes(5, "wrapped_key", &wrappedKey, .atMost(Caps.key))
    try visitor.bytes(6, "public_key_hash", &publicKeyHash, .exactly(32))
    try visitor.bytes(7, "transaction_id", &transactionID, .exactly(32))
    try visitor.bytes(8, "application_data", &applicationData, .absentOr(32))
  }

  /// The most each field takes, in bytes.
  package enum Caps {
    package static let data = 64 * 1024
    package static let signature = 16 * 1024
    package static let key = 1024
    /// All fields and their tags.
    package static let message = data + signature + 2 * key + 256
  }
}

/// `verify-payment-token`: all of Apple's signature checks, nothing opened, no key used.
package struct VerifyPaymentTokenRequest: Message, ~Escapable {
  package var token: PaymentTokenMessage
  /// SHA-256 of the request's application data, or empty when the caller states none.
  package var expectedApplicationData: Span<UInt8>

  @_lifetime(immortal) package init() {
    token = PaymentTokenMessage()
    expectedApplicationData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.message(
      1, "token", "PaymentToken", &token, atMost: PaymentTokenMessage.Caps.message)
    try visitor.bytes(2, "expected_application_data", &expectedApplicationData, .absentOr(32))
  }
}

package struct VerifyPaymentTokenReply: Message, Hashable, Sendable {
  /// When Apple signed the token, in seconds since 1970.
  package var signingTime: UInt64 = 0
  package init() {}

  package init(signingTime: UInt64) { self.signingTime = signingTime }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint64(1, "signing_time", &signingTime)
  }
}
