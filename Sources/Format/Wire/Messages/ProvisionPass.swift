/// How Apple asks for a pass to be encrypted.
package enum EncryptionScheme: UInt8, CaseIterable, Sendable {
  case evECCV2 = 1
  /// Not public, so refused by its name.
  case evRSAV2 = 2
}

/// `provision-pass`: what an issuer's service got from Apple's app, and what it knows of the card.
package struct ProvisionPassRequest: Message, ~Escapable {
  package var scheme = EncryptionScheme.evECCV2
  /// DER, in any order.
  package var certificates: [[UInt8]] = []
  package var configuration = PassConfiguration.accountNumber
  package var encryptedPrimaryAccountNumber, expiration, name, networkName, nonce,
    nonceSignature: Span<UInt8>
  package var primaryAccountIdentifier, primaryAccountNumber, primaryAccountNumberPrefix,
    productType: Span<UInt8>
  package var accountEnvelope: Span<UInt8>
  /// What the envelope was sealed with besides the number.
  package var envelopeContext: Span<UInt8>
  /// For the one-time value; what it has in common with the payment data may be left out.
  package var network: NetworkInputs
  /// Another network's value, which is passed through.
  package var activationData: Span<UInt8>
  /// In place of the number, as the envelope.
  package var accountSurrogate: Optional<AccountSurrogate>
  /// 16 bytes, the network's key for which the number is encrypted; or empty.
  package var networkKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    accountSurrogate = nil
    networkKey = Span()
    encryptedPrimaryAccountNumber = Span()
    expiration = Span()
    name = Span()
    networkName = Span()
    nonce = Span()
    nonceSignature = Span()
    primaryAccountIdentifier = Span()
    primaryAccountNumber = Span()
    primaryAccountNumberPrefix = Span()
    productType = Span()
    accountEnvelope = Span()
    envelopeContext = Span()
    network = NetworkInputs()
    activationData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "scheme", "EncryptionScheme", &scheme)
    try visitor.bytes(
      2, "certificates", &certificates, atMost: Caps.certificate, count: Caps.certificates)
    try visitor.enumeration(3, "configuration", "PassConfiguration", &configuration)
    try visitor.text(
      4, "encrypted_primary_account_number", &encryptedPrimaryAccountNumber, .atMost(1024))
    try visitor.text(5, "expiration", &expiration, .atMost(5))
    try visitor.text(6, "name", &name, .atMost(256))
    try visitor.text(7, "network_name", &networkName, .atMost(64))
    try visitor.bytes(8, "nonce", &nonce, .atMost(64))
    try visitor.bytes(9, "nonce_signature", &nonceSignature, .atMost(256))
    try visitor.text(10, "primary_account_identifier", &primaryAccountIdentifier, .atMost(128))
    try visitor.text(11, "primary_account_number", &primaryAccountNumber, .atMost(19))
    try visitor.text(12, "primary_account_number_prefix", &primaryAccountNumberPrefix, .atMost(19))
    try visitor.text(13, "product_type", &productType, .atMost(64))
    try visitor.bytes(14, "account_envelope", &accountEnvelope, .atMost(Caps.envelope))
    try visitor.bytes(15, "envelope_context", &envelopeContext, .atMost(Caps.envelope))
    try network.visit(&visitor, visa: 16, mastercard: 17)
    try visitor.bytes(18, "activation_data", &activationData, .atMost(Caps.activationData))
    try visitor.message(
      19, "account_surrogate", "AccountSurrogate", &accountSurrogate, atMost: AccountSurrogate.cap)
    try visitor.bytes(20, "network_key", &networkKey, .absentOr(16))
  }

  package enum Caps {
    package static let certificates = 3
    package static let certificate = 8192
    package static let envelope = 512
    package static let activationData = 4096
    package static let message =
      certificates * (certificate + 4) + 3 * envelope + activationData + 4096
  }
}

/// What the app hands to PassKit.
package struct ProvisionPassReply: Message, ~Escapable {
  /// Ciphertext and 16-byte tag.
  package var encryptedPassData: Span<UInt8>
  /// 65 bytes.
  package var ephemeralPublicKey: Span<UInt8>
  package var activationData: Span<UInt8>

  @_lifetime(immortal) package init() {
    encryptedPassData = Span()
    ephemeralPublicKey = Span()
    activationData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "encrypted_pass_data", &encryptedPassData, .atMost(16 * 1024))
    try visitor.bytes(2, "ephemeral_public_key", &ephemeralPublicKey, .exactly(65))
    try visitor.bytes(3, "activation_data", &activationData, .atMost(4096))
  }
}

/// A card's number by its surrogate, which the daemon turns back where the number is used.
package struct AccountSurrogate: Message, ~Escapable {
  package var surrogate: Span<UInt8>
  /// 16 bytes, the key that made it.
  package var key: Span<UInt8>
  package var merchantIdentifier = ""

  @_lifetime(immortal) package init() {
    surrogate = Span()
    key = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "surrogate", &surrogate, .oneTo(StandInCaps.digits))
    try visitor.bytes(2, "key", &key, .exactly(16))
    try visitor.text(
      3, "merchant_identifier", &merchantIdentifier, .atMost(StandInCaps.merchantIdentifier))
  }

  /// Bytes of one.
  package static let cap = 512
}

/// `provision-trace`: the inputs of Apple's `encryptionlog.txt`; a rehearsal alone takes them.
package struct ProvisionTraceRequest: Message, ~Escapable {
  /// Apple's static key: 65 bytes on P-256.
  package var recipient: Span<UInt8>
  /// 32 bytes.
  package var ephemeralPrivateKey: Span<UInt8>
  package var passData: Span<UInt8>

  /// Bytes of pass data.
  package static let cap = 4096

  @_lifetime(immortal) package init() {
    recipient = Span()
    ephemeralPrivateKey = Span()
    passData = Span()
  }

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
    publicKeyHash = Span()
    ephemeralPublicKey = Span()
    sharedSecret = Span()
    otherInfo = Span()
    sharedKey = Span()
    encryptedPassData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "public_key_hash", &publicKeyHash, .exactly(32))
    try visitor.bytes(2, "ephemeral_public_key", &ephemeralPublicKey, .exactly(65))
    try visitor.bytes(3, "shared_secret", &sharedSecret, .exactly(32))
    try visitor.bytes(4, "other_info", &otherInfo, .exactly(84))
    try visitor.bytes(5, "shared_key", &sharedKey, .exactly(32))
    try visitor.bytes(
      6, "encrypted_pass_data", &encryptedPassData, .atMost(ProvisionTraceRequest.cap + 16))
  }
}
