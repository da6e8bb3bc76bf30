// Written by proto/generate.py from kist.proto: do not edit.

/// The body of `list-keys`.
package struct ListKeysRequest: Message, Hashable, Sendable {
  /// At most 128 bytes.
  package var prefix: String = ""
  /// At most 128 bytes.
  package var after: String = ""
  /// At most 128 bytes; as policy has it: a label, or one that ends in /*.
  package var pattern: String = ""

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "prefix", &prefix, .atMost(Caps.prefix))
    try visitor.text(2, "after", &after, .atMost(Caps.after))
    try visitor.text(3, "pattern", &pattern, .atMost(Caps.pattern))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let prefix = 128
    package static let after = 128
    package static let pattern = 128
  }
}

/// The body of `random`.
package struct RandomRequest: Message, Hashable, Sendable {
  /// 1 to 1024 bytes.
  package var count: Int = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "count", &count, in: Caps.count)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let count = 1...1024
  }
}

/// The body of `audit-digest`.
package struct AuditDigestRequest: Message, ~Escapable {
  package var field: DigestField = .transaction
  /// 32 bytes of a transaction id, digits, or the subject of codes.
  package var value: Span<UInt8>

  @_lifetime(immortal) package init() {
    value = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "field", "DigestField", &field)
    try visitor.bytes(2, "value", &value, .atMost(Caps.value))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let value = 128
  }
}

/// The body of `verify-payment-token`.
package struct VerifyPaymentTokenRequest: Message, ~Escapable {
  /// Decoded from Apple's JSON.
  package var token: PaymentTokenMessage
  /// 32 bytes.
  package var expectedApplicationData: Span<UInt8>

  @_lifetime(immortal) package init() {
    token = PaymentTokenMessage()
    expectedApplicationData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.message(1, "token", "PaymentToken", &token, atMost: Caps.token)
    try visitor.bytes(
      2, "expected_application_data", &expectedApplicationData,
      .absentOr(Caps.expectedApplicationData))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let token = 84224
    package static let expectedApplicationData = 32
  }
}

/// The body of `open-payment-token`.
package struct OpenPaymentTokenRequest: Message, ~Escapable {
  /// Decoded from Apple's JSON.
  package var token: PaymentTokenMessage
  /// Strictly ascending; absent asks for all that is granted.
  package var release: ReleasedFields = []
  /// At most 3 bytes; ISO 4217 numeric.
  package var expectedCurrency: Span<UInt8>
  /// Minor units.
  package var expectedAmount: UInt64?
  /// 32 bytes.
  package var expectedApplicationData: Span<UInt8>
  /// Strictly ascending; without any of these the token is not to be opened.
  package var required: ReleasedFields = []
  /// 16 random bytes; the same request with it opens again after a lost reply.
  package var retryKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    token = PaymentTokenMessage()
    expectedCurrency = Span()
    expectedApplicationData = Span()
    retryKey = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.message(1, "token", "PaymentToken", &token, atMost: Caps.token)
    try visitor.set(2, "release", "ReleasedField", &release, atMost: Caps.release)
    try visitor.text(3, "expected_currency", &expectedCurrency, .atMost(Caps.expectedCurrency))
    try visitor.uint64(4, "expected_amount", &expectedAmount)
    try visitor.bytes(
      5, "expected_application_data", &expectedApplicationData,
      .absentOr(Caps.expectedApplicationData))
    try visitor.set(6, "required", "ReleasedField", &required, atMost: Caps.required)
    try visitor.bytes(7, "retry_key", &retryKey, .absentOr(Caps.retryKey))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let token = 84224
    package static let release = 64
    package static let expectedCurrency = 3
    package static let expectedApplicationData = 32
    package static let required = 64
    package static let retryKey = 16
  }
}

/// The body of `provision-pass`.
package struct ProvisionPassRequest: Message, ~Escapable {
  /// EV_ECC_v2; the other is refused.
  package var scheme: EncryptionScheme = .evECCV2
  /// At most 8192 bytes; DER, one to three in any order.
  package var certificates: [[UInt8]] = []
  /// Which of Apple's four.
  package var configuration: PassConfiguration = .accountNumber
  /// At most 1024 bytes.
  package var encryptedPrimaryAccountNumber: Span<UInt8>
  /// At most 5 bytes; MM/YY.
  package var expiration: Span<UInt8>
  /// At most 256 bytes.
  package var name: Span<UInt8>
  /// At most 64 bytes.
  package var networkName: Span<UInt8>
  /// At most 64 bytes.
  package var nonce: Span<UInt8>
  /// At most 256 bytes.
  package var nonceSignature: Span<UInt8>
  /// At most 128 bytes.
  package var primaryAccountIdentifier: Span<UInt8>
  /// At most 19 bytes.
  package var primaryAccountNumber: Span<UInt8>
  /// At most 19 bytes; its first digits.
  package var primaryAccountNumberPrefix: Span<UInt8>
  /// At most 64 bytes.
  package var productType: Span<UInt8>
  /// At most 512 bytes; in place of the number.
  package var accountEnvelope: Span<UInt8>
  /// At most 512 bytes; what it was sealed with besides.
  package var envelopeContext: Span<UInt8>
  package var visa: Optional<VisaInput>
  package var mastercard: Optional<MastercardInput>
  /// At most 4096 bytes; another network's, passed through.
  package var activationData: Span<UInt8>
  /// In place of the number.
  package var accountSurrogate: Optional<AccountSurrogate>
  /// 16 bytes: encrypts the number for the network.
  package var networkKey: Span<UInt8>

  @_lifetime(immortal) package init() {
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
    visa = nil
    mastercard = nil
    activationData = Span()
    accountSurrogate = nil
    networkKey = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "scheme", "EncryptionScheme", &scheme)
    try visitor.bytes(
      2, "certificates", &certificates, atMost: Caps.certificates, count: Caps.certificatesCount)
    try visitor.enumeration(3, "configuration", "PassConfiguration", &configuration)
    try visitor.text(
      4, "encrypted_primary_account_number", &encryptedPrimaryAccountNumber,
      .atMost(Caps.encryptedPrimaryAccountNumber))
    try visitor.text(5, "expiration", &expiration, .atMost(Caps.expiration))
    try visitor.text(6, "name", &name, .atMost(Caps.name))
    try visitor.text(7, "network_name", &networkName, .atMost(Caps.networkName))
    try visitor.bytes(8, "nonce", &nonce, .atMost(Caps.nonce))
    try visitor.bytes(9, "nonce_signature", &nonceSignature, .atMost(Caps.nonceSignature))
    try visitor.text(
      10, "primary_account_identifier", &primaryAccountIdentifier,
      .atMost(Caps.primaryAccountIdentifier))
    try visitor.text(
      11, "primary_account_number", &primaryAccountNumber, .atMost(Caps.primaryAccountNumber))
    try visitor.text(
      12, "primary_account_number_prefix", &primaryAccountNumberPrefix,
      .atMost(Caps.primaryAccountNumberPrefix))
    try visitor.text(13, "product_type", &productType, .atMost(Caps.productType))
    try visitor.bytes(14, "account_envelope", &accountEnvelope, .atMost(Caps.accountEnvelope))
    try visitor.bytes(15, "envelope_context", &envelopeContext, .atMost(Caps.envelopeContext))
    try visitor.message(16, "visa", "VisaInput", &visa, atMost: Caps.visa)
    try visitor.message(17, "mastercard", "MastercardInput", &mastercard, atMost: Caps.mastercard)
    try visitor.bytes(18, "activation_data", &activationData, .atMost(Caps.activationData))
    try visitor.message(
      19, "account_surrogate", "AccountSurrogate", &accountSurrogate, atMost: Caps.accountSurrogate)
    try visitor.bytes(20, "network_key", &networkKey, .absentOr(Caps.networkKey))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let certificates = 8192
    package static let certificatesCount = 3
    package static let encryptedPrimaryAccountNumber = 1024
    package static let expiration = 5
    package static let name = 256
    package static let networkName = 64
    package static let nonce = 64
    package static let nonceSignature = 256
    package static let primaryAccountIdentifier = 128
    package static let primaryAccountNumber = 19
    package static let primaryAccountNumberPrefix = 19
    package static let productType = 64
    package static let accountEnvelope = 512
    package static let envelopeContext = 512
    package static let visa = 256
    package static let mastercard = 256
    package static let activationData = 4096
    package static let accountSurrogate = 512
    package static let networkKey = 16
  }
}

/// The body of `provision-trace`.
package struct ProvisionTraceRequest: Message, ~Escapable {
  /// 65 bytes; the public key, as an uncompressed point.
  package var recipient: Span<UInt8>
  /// 32 bytes; the scalar.
  package var ephemeralPrivateKey: Span<UInt8>
  /// At most 4096 bytes; what is sealed.
  package var passData: Span<UInt8>

  @_lifetime(immortal) package init() {
    recipient = Span()
    ephemeralPrivateKey = Span()
    passData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "recipient", &recipient, .exactly(Caps.recipient))
    try visitor.bytes(
      2, "ephemeral_private_key", &ephemeralPrivateKey, .exactly(Caps.ephemeralPrivateKey))
    try visitor.bytes(3, "pass_data", &passData, .atMost(Caps.passData))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let recipient = 65
    package static let ephemeralPrivateKey = 32
    package static let passData = 4096
  }
}

/// The body of `sign-otp`.
package struct SignOTPRequest: Message, ~Escapable {
  /// At most 128 bytes; of a code.
  package var subject: Span<UInt8>
  /// Of a counted code; absent for the next.
  package var counter: UInt64?
  package var visa: Optional<VisaInput>
  package var mastercard: Optional<MastercardInput>
  /// At most 512 bytes; in place of the number.
  package var accountEnvelope: Span<UInt8>
  /// At most 512 bytes; what it was sealed with besides.
  package var envelopeContext: Span<UInt8>
  package var accountSurrogate: Optional<AccountSurrogate>

  @_lifetime(immortal) package init() {
    subject = Span()
    visa = nil
    mastercard = nil
    accountEnvelope = Span()
    envelopeContext = Span()
    accountSurrogate = nil
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .atMost(Caps.subject))
    try visitor.uint64(2, "counter", &counter)
    try visitor.message(3, "visa", "VisaInput", &visa, atMost: Caps.visa)
    try visitor.message(4, "mastercard", "MastercardInput", &mastercard, atMost: Caps.mastercard)
    try visitor.bytes(5, "account_envelope", &accountEnvelope, .atMost(Caps.accountEnvelope))
    try visitor.bytes(6, "envelope_context", &envelopeContext, .atMost(Caps.envelopeContext))
    try visitor.message(
      7, "account_surrogate", "AccountSurrogate", &accountSurrogate, atMost: Caps.accountSurrogate)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let subject = 128
    package static let visa = 256
    package static let mastercard = 256
    package static let accountEnvelope = 512
    package static let envelopeContext = 512
    package static let accountSurrogate = 512
  }
}

/// The body of `verify-otp`.
package struct VerifyOTPRequest: Message, ~Escapable {
  /// At most 128 bytes.
  package var subject: Span<UInt8>
  /// At most 8 bytes; 6 to 8 digits.
  package var code: Span<UInt8>

  @_lifetime(immortal) package init() {
    subject = Span()
    code = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .atMost(Caps.subject))
    try visitor.text(2, "code", &code, .atMost(Caps.code))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let subject = 128
    package static let code = 8
  }
}

/// The body of `enrol-authenticator`.
package struct EnrolAuthenticatorRequest: Message, ~Escapable {
  /// At most 128 bytes.
  package var subject: Span<UInt8>
  /// 16 bytes; random, for this enrolment alone.
  package var retryKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    subject = Span()
    retryKey = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .oneTo(Caps.subject))
    try visitor.bytes(2, "retry_key", &retryKey, .exactly(Caps.retryKey))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let subject = 128
    package static let retryKey = 16
  }
}

/// The body of `reset-otp-lockout`.
package struct ResetOTPLockoutRequest: Message, ~Escapable {
  /// At most 128 bytes.
  package var subject: Span<UInt8>

  @_lifetime(immortal) package init() {
    subject = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "subject", &subject, .atMost(Caps.subject))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let subject = 128
  }
}

/// The body of `ecdh`.
package struct ECDHRequest: Message, ~Escapable {
  /// At most 120 bytes; an uncompressed point, or a SubjectPublicKeyInfo with a named curve.
  package var peer: Span<UInt8>
  package var release: Bool = false

  @_lifetime(immortal) package init() {
    peer = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "peer", &peer, .atMost(Caps.peer))
    try visitor.bool(2, "release", &release)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let peer = 120
  }
}

/// The body of `kdf`.
package struct KDFRequest: Message, ~Escapable {
  /// 16 bytes; of a shared secret.
  package var handle: Span<UInt8>
  /// Which function.
  package var derivation: DerivationChoice = .oneStepSHA256
  /// 16 to 256 bytes.
  package var count: Int = 0
  /// At most 1024 bytes; OtherInfo, SharedInfo or info as one.
  package var info: Span<UInt8>
  /// Or in parts.
  package var otherInfo: OtherInfo
  /// At most 1024 bytes; HKDF.
  package var salt: Span<UInt8>
  package var release: Bool = false

  @_lifetime(immortal) package init() {
    handle = Span()
    info = Span()
    otherInfo = OtherInfo()
    salt = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .exactly(Caps.handle))
    try visitor.enumeration(2, "derivation", "Derivation", &derivation)
    try visitor.uint32(3, "count", &count, in: Caps.count)
    try visitor.bytes(4, "info", &info, .atMost(Caps.info))
    try visitor.message(5, "other_info", "OtherInfo", &otherInfo, atMost: Caps.otherInfo)
    try visitor.bytes(6, "salt", &salt, .atMost(Caps.salt))
    try visitor.bool(7, "release", &release)
  }

  package func check() throws(WireError) {
    if (!info.isEmpty) && (!otherInfo.isEmpty) {
      throw .badValue(WireField(5, "other_info", "does not go with info"))
    }
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let handle = 16
    package static let count = 16...256
    package static let info = 1024
    package static let otherInfo = 5135
    package static let salt = 1024
  }
}

/// The body of `seal`.
package struct SealRequest: Message, ~Escapable {
  /// 16 bytes, or absent for the stored key.
  package var handle: Span<UInt8>
  /// At most 65536 bytes.
  package var plaintext: Span<UInt8>
  /// At most 4096 bytes.
  package var associatedData: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    plaintext = Span()
    associatedData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(Caps.handle))
    try visitor.bytes(3, "plaintext", &plaintext, .atMost(Caps.plaintext))
    try visitor.bytes(4, "associated_data", &associatedData, .atMost(Caps.associatedData))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let handle = 16
    package static let plaintext = 65536
    package static let associatedData = 4096
  }
}

/// The body of `unseal`.
package struct UnsealRequest: Message, ~Escapable {
  /// 16 bytes, or absent for the stored key.
  package var handle: Span<UInt8>
  /// 12 or 16 bytes; absent for an envelope.
  package var iv: Span<UInt8>
  /// At most 65581 bytes; an envelope; ciphertext and tag where there is an IV.
  package var sealed: Span<UInt8>
  /// At most 4096 bytes.
  package var associatedData: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    iv = Span()
    sealed = Span()
    associatedData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(Caps.handle))
    try visitor.bytes(2, "iv", &iv, .atMost(Caps.iv))
    try visitor.bytes(3, "sealed", &sealed, .atMost(Caps.sealed))
    try visitor.bytes(4, "associated_data", &associatedData, .atMost(Caps.associatedData))
  }

  package func check() throws(WireError) {
    guard iv.count == 0 || iv.count == 12 || iv.count == 16 else {
      throw .badValue(WireField(2, "iv", "has \(iv.count) bytes; it takes 12 or 16"))
    }
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let handle = 16
    package static let iv = 16
    package static let sealed = 65581
    package static let associatedData = 4096
  }
}

/// The body of `sign`.
package struct SignRequest: Message, ~Escapable {
  /// Which signature.
  package var scheme: SignatureChoice = .ecdsaP256SHA256
  /// Message is the message's digest.
  package var digested: Bool = false
  /// At most 65536 bytes.
  package var message: Span<UInt8>

  @_lifetime(immortal) package init() {
    message = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "scheme", "SignatureScheme", &scheme)
    try visitor.bool(2, "digested", &digested)
    try visitor.bytes(3, "message", &message, .atMost(Caps.message))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let message = 65536
  }
}

/// The body of `verify`.
package struct VerifyRequest: Message, ~Escapable {
  /// Which signature.
  package var scheme: SignatureChoice = .ecdsaP256SHA256
  /// Message is the message's digest.
  package var digested: Bool = false
  /// At most 65536 bytes.
  package var message: Span<UInt8>
  /// At most 512 bytes.
  package var signature: Span<UInt8>

  @_lifetime(immortal) package init() {
    message = Span()
    signature = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "scheme", "SignatureScheme", &scheme)
    try visitor.bool(2, "digested", &digested)
    try visitor.bytes(3, "message", &message, .atMost(Caps.message))
    try visitor.bytes(4, "signature", &signature, .atMost(Caps.signature))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let message = 65536
    package static let signature = 512
  }
}

/// The body of `mac`.
package struct MACRequest: Message, ~Escapable {
  /// 16 bytes, or absent for the stored key.
  package var handle: Span<UInt8>
  /// With a handle, and only then.
  package var algorithm: MACChoice?
  /// Of the code; absent for all of it.
  package var length: Int = 0
  /// At most 65536 bytes.
  package var message: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    message = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(Caps.handle))
    try visitor.enumeration(2, "algorithm", "MacAlgorithm", &algorithm)
    try visitor.uint32(3, "length", &length, in: Caps.length)
    try visitor.bytes(4, "message", &message, .atMost(Caps.message))
  }

  package func check() throws(WireError) {
    if (!handle.isEmpty) != (algorithm != nil) {
      throw .badValue(WireField(2, "algorithm", "goes with handle, and that with it"))
    }
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let handle = 16
    package static let length = 0...64
    package static let message = 65536
  }
}

/// The body of `verify-mac`.
package struct VerifyMACRequest: Message, ~Escapable {
  /// 16 bytes, or absent for the stored key.
  package var handle: Span<UInt8>
  /// With a handle, and only then.
  package var algorithm: MACChoice?
  /// That the code must have; absent for all of it.
  package var length: Int = 0
  /// At most 65536 bytes.
  package var message: Span<UInt8>
  /// At most 64 bytes.
  package var mac: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    message = Span()
    mac = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(Caps.handle))
    try visitor.enumeration(2, "algorithm", "MacAlgorithm", &algorithm)
    try visitor.uint32(3, "length", &length, in: Caps.length)
    try visitor.bytes(4, "message", &message, .atMost(Caps.message))
    try visitor.bytes(5, "mac", &mac, .atMost(Caps.mac))
  }

  package func check() throws(WireError) {
    if (!handle.isEmpty) != (algorithm != nil) {
      throw .badValue(WireField(2, "algorithm", "goes with handle, and that with it"))
    }
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let handle = 16
    package static let length = 0...64
    package static let message = 65536
    package static let mac = 64
  }
}

/// The body of `unwrap`.
package struct UnwrapRequest: Message, ~Escapable {
  /// At most 512 bytes; as long as the modulus.
  package var wrappedKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    wrappedKey = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "wrapped_key", &wrappedKey, .atMost(Caps.wrappedKey))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let wrappedKey = 512
  }
}

/// The body of `release-handle`.
package struct ReleaseHandleRequest: Message, ~Escapable {
  /// 16 bytes; what is no longer needed.
  package var handle: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .exactly(Caps.handle))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let handle = 16
  }
}

/// Either for a surrogate, without the last two fields, or for an envelope.
package struct TokeniseRequest: Message, ~Escapable {
  /// At most 32 bytes; digits.
  package var pan: Span<UInt8>
  /// At most 255 bytes.
  package var merchantIdentifier: String = ""
  /// 32 bytes.
  package var transactionID: Span<UInt8>
  /// Seconds.
  package var lifetime: UInt32 = 0

  @_lifetime(immortal) package init() {
    pan = Span()
    transactionID = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "pan", &pan, .atMost(Caps.pan))
    try visitor.text(
      2, "merchant_identifier", &merchantIdentifier, .atMost(Caps.merchantIdentifier))
    try visitor.bytes(3, "transaction_id", &transactionID, .absentOr(Caps.transactionID))
    try visitor.uint32(4, "lifetime", &lifetime)
  }

  package func check() throws(WireError) {
    if (!transactionID.isEmpty) != (lifetime != 0) {
      throw .badValue(WireField(4, "lifetime", "goes with transaction_id, and that with it"))
    }
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let pan = 32
    package static let merchantIdentifier = 255
    package static let transactionID = 32
  }
}

/// The body of `detokenise`.
package struct DetokeniseRequest: Message, ~Escapable {
  /// At most 32 bytes; digits.
  package var surrogate: Span<UInt8>
  /// At most 255 bytes.
  package var merchantIdentifier: String = ""

  @_lifetime(immortal) package init() {
    surrogate = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "surrogate", &surrogate, .oneTo(Caps.surrogate))
    try visitor.text(
      3, "merchant_identifier", &merchantIdentifier, .atMost(Caps.merchantIdentifier))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let surrogate = 32
    package static let merchantIdentifier = 255
  }
}

/// The reply is an OpenPaymentTokenReply, and so is what the envelope holds.
package struct OpenEnvelopeRequest: Message, ~Escapable {
  /// At most 66048 bytes.
  package var envelope: Span<UInt8>
  /// At most 255 bytes.
  package var merchantIdentifier: String = ""
  /// 32 bytes.
  package var transactionID: Span<UInt8>
  /// Strictly ascending; absent asks for all that is granted.
  package var release: ReleasedFields = []
  /// Strictly ascending; without any of these the envelope is not to be opened.
  package var required: ReleasedFields = []
  /// 16 random bytes; the same request with it opens again after a lost reply.
  package var retryKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    envelope = Span()
    transactionID = Span()
    retryKey = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "envelope", &envelope, .oneTo(Caps.envelope))
    try visitor.text(
      2, "merchant_identifier", &merchantIdentifier, .atMost(Caps.merchantIdentifier))
    try visitor.bytes(3, "transaction_id", &transactionID, .exactly(Caps.transactionID))
    try visitor.set(4, "release", "ReleasedField", &release, atMost: Caps.release)
    try visitor.set(5, "required", "ReleasedField", &required, atMost: Caps.required)
    try visitor.bytes(6, "retry_key", &retryKey, .absentOr(Caps.retryKey))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let envelope = 66048
    package static let merchantIdentifier = 255
    package static let transactionID = 32
    package static let release = 64
    package static let required = 64
    package static let retryKey = 16
  }
}

/// The body of `unlock`.
package struct UnlockRequest: Message, ~Escapable {
  /// 1 to 1024 bytes.
  package var passphrase: Span<UInt8>

  @_lifetime(immortal) package init() {
    passphrase = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "passphrase", &passphrase, .oneTo(Caps.passphrase))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let passphrase = 1024
  }
}

/// The body of `import-key` and `import-block`.
package struct ImportKeyRequest: Message, ~Escapable {
  /// At most 128 bytes.
  package var label: String = ""
  /// At most 64 bytes.
  package var role: String = ""
  /// RFC 5915, PKCS#1 or RFC 8410 DER, a partner's SubjectPublicKeyInfo, or the key's bytes; in
  /// import-block a key block's characters.
  package var privateKey: Span<UInt8>
  /// At most 8192 bytes; DER.
  package var certificate: Span<UInt8>
  /// At most 255 bytes.
  package var merchantIdentifier: String = ""
  /// At once, instead of by activate-key.
  package var activate: Bool = false
  package var notAfter: UInt64 = 0
  /// Of a key for one-time values.
  package var otp = OTPParameters()
  package var exportable: Bool = false
  /// At most 512 bytes; of a partner's key: name=value for each member of its JWEs' headers.
  package var jweMembers: String = ""

  @_lifetime(immortal) package init() {
    privateKey = Span()
    certificate = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "label", &label, .atMost(Caps.label))
    try visitor.text(2, "role", &role, .atMost(Caps.role))
    try visitor.bytes(3, "private_key", &privateKey, .atMost(Caps.privateKey))
    try visitor.bytes(4, "certificate", &certificate, .atMost(Caps.certificate))
    try visitor.text(
      5, "merchant_identifier", &merchantIdentifier, .atMost(Caps.merchantIdentifier))
    try visitor.bool(6, "activate", &activate)
    try visitor.uint64(7, "not_after", &notAfter)
    try visitor.message(8, "otp", "OtpParameters", &otp, atMost: Caps.otp)
    try visitor.bool(9, "exportable", &exportable)
    try visitor.text(10, "jwe_members", &jweMembers, .atMost(Caps.jweMembers))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let label = 128
    package static let role = 64
    package static let privateKey = 8192
    package static let certificate = 8192
    package static let merchantIdentifier = 255
    package static let otp = 256
    package static let jweMembers = 512
  }
}

/// A checkpoint of the audit log, and what a reviewer found before it.
package struct ReviewLogRequest: Message, Hashable, Sendable {
  package var size: UInt64 = 0
  /// 32 bytes.
  package var root: [UInt8] = []
  /// Clean, follow-up or incident.
  package var outcome: ReviewOutcome = .clean
  /// At most 500 bytes.
  package var note: String = ""

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint64(1, "size", &size)
    try visitor.bytes(2, "root", &root, .exactly(Caps.root))
    try visitor.enumeration(3, "outcome", "ReviewOutcome", &outcome)
    try visitor.text(4, "note", &note, .atMost(Caps.note))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let root = 32
    package static let note = 500
  }
}

/// The body of `submit-share`.
package struct SubmitShareRequest: Message, ~Escapable {
  /// 21, 29 or 37 bytes: a SLIP-0039 share's header (5) ‖ its value.
  package var share: Span<UInt8>

  @_lifetime(immortal) package init() {
    share = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "share", &share, .oneTo(Caps.share))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let share = 37
  }
}

/// The body of `record-drill`.
package struct RecordDrillRequest: Message, Hashable, Sendable {
  /// Of the copy that was restored.
  package var generation: UInt64 = 0
  /// The check value of the key encryption key, 5 bytes.
  package var kek: [UInt8] = []
  package var keys: [DrilledKey] = []
  /// 16 bytes; the last id of the request before.
  package var after: [UInt8] = []
  /// Another request follows.
  package var more: Bool = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint64(1, "generation", &generation)
    try visitor.bytes(2, "kek", &kek, .exactly(Caps.kek))
    try visitor.messages(3, "keys", "DrilledKey", &keys, atMost: Caps.keys, count: Caps.keysCount)
    try visitor.bytes(4, "after", &after, .absentOr(Caps.after))
    try visitor.bool(5, "more", &more)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let kek = 5
    package static let keys = 64
    package static let keysCount = 1024
    package static let after = 16
  }
}

/// The body of `certificate-request`.
package struct CertificateRequestRequest: Message, Hashable, Sendable {
  /// At most 64 bytes.
  package var organization: String = ""
  /// At most 2 bytes; two letters.
  package var country: String = ""

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "organization", &organization, .atMost(Caps.organization))
    try visitor.text(2, "country", &country, .atMost(Caps.country))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let organization = 64
    package static let country = 2
  }
}

/// The body of `export-key`.
package struct ExportKeyRequest: Message, Hashable, Sendable {
  /// 16 bytes.
  package var exchangeKey: [UInt8] = []

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "exchange_key", &exchangeKey, .exactly(Caps.exchangeKey))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let exchangeKey = 16
  }
}

/// The body of `generate-key`.
package struct GenerateKeyRequest: Message, Hashable, Sendable {
  /// At most 128 bytes.
  package var label: String = ""
  /// At most 64 bytes.
  package var role: String = ""
  /// At most 32 bytes; such as "P-384"; empty for the role's usual one.
  package var algorithm: String = ""
  /// At most 255 bytes.
  package var merchantIdentifier: String = ""
  package var preActive: Bool = false
  package var notBefore: UInt64 = 0
  package var notAfter: UInt64 = 0
  /// Zero for any number.
  package var useLimit: UInt64 = 0
  /// Of a key for one-time values.
  package var otp = OTPParameters()
  package var exportable: Bool = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "label", &label, .atMost(Caps.label))
    try visitor.text(2, "role", &role, .atMost(Caps.role))
    try visitor.text(3, "algorithm", &algorithm, .atMost(Caps.algorithm))
    try visitor.text(
      4, "merchant_identifier", &merchantIdentifier, .atMost(Caps.merchantIdentifier))
    try visitor.bool(5, "pre_active", &preActive)
    try visitor.uint64(6, "not_before", &notBefore)
    try visitor.uint64(7, "not_after", &notAfter)
    try visitor.uint64(8, "use_limit", &useLimit)
    try visitor.message(9, "otp", "OtpParameters", &otp, atMost: Caps.otp)
    try visitor.bool(10, "exportable", &exportable)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let label = 128
    package static let role = 64
    package static let algorithm = 32
    package static let merchantIdentifier = 255
    package static let otp = 256
  }
}

/// The body of `attach-certificate`.
package struct AttachCertificateRequest: Message, ~Escapable {
  /// DER, 1 to 8192 bytes.
  package var certificate: Span<UInt8>

  @_lifetime(immortal) package init() {
    certificate = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "certificate", &certificate, .oneTo(Caps.certificate))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let certificate = 8192
  }
}

/// The body of `approve`.
package struct ApproveRequest: Message, Hashable, Sendable {
  /// At most 16 bytes; as ApprovalNeeded names it.
  package var request: String = ""

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "request", &request, .oneTo(Caps.request))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let request = 16
  }
}

/// The body of `swap-policy`.
package struct SwapPolicyRequest: Message, Hashable, Sendable {
  /// 32 bytes.
  package var policyHash: [UInt8] = []

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "policy_hash", &policyHash, .exactly(Caps.policyHash))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let policyHash = 32
  }
}
