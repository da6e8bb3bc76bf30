// Written by proto/generate.py from kist.proto: do not edit.

/// Body of a `malformed` reply where the request's body is at fault.
package struct Malformation: Message, Hashable, Sendable {
  /// At most 160 bytes; a sentence that names the field and the bound.
  package var why: String = ""

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "why", &why, .oneTo(Caps.why))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let why = 160
  }
}

/// Body of a `busy` reply to a request that asks for it.
package struct Busy: Message, Hashable, Sendable {
  /// Milliseconds.
  package var retryAfter: Int = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "retry_after", &retryAfter, in: Caps.retryAfter)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let retryAfter = 1...1209600000
  }
}

/// Body of a `rejected` reply where the caller's grant shows stages, and where a required field is
/// not released.
package struct Rejection: Message, Hashable, Sendable {
  /// At which check.
  package var stage: Stage = .format
  /// Where the stage is about one.
  package var field: PassField?
  /// The required field that is not released.
  package var releasedField: ReleasedField?

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "stage", "Stage", &stage)
    try visitor.enumeration(2, "field", "PassField", &field)
    try visitor.enumeration(3, "released_field", "ReleasedField", &releasedField)
  }
}

/// The body of a reply with status APPROVAL_NEEDED.
package struct ApprovalNeeded: Message, Hashable, Sendable {
  /// At most 16 bytes; the request's short name, eight digits of hexadecimal.
  package var request: String = ""
  /// Seconds since 1970.
  package var until: UInt64 = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "request", &request, .atMost(Caps.request))
    try visitor.uint64(2, "until", &until)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let request = 16
  }
}

/// What `describe` answers.
package struct DescribeReply: Message, Hashable, Sendable {
  /// At most 64 bytes.
  package var productVersion: String = ""
  /// 1.
  package var wireVersion: UInt32 = 0
  /// All that the daemon knows.
  package var operations: [OperationDescription] = []
  package var inFlight: UInt32 = 0
  package var rehearsal: Bool = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "product_version", &productVersion, .atMost(Caps.productVersion))
    try visitor.uint32(2, "wire_version", &wireVersion)
    try visitor.messages(
      3, "operations", "OperationDescription", &operations, atMost: Caps.operations,
      count: Caps.operationsCount)
    try visitor.uint32(4, "in_flight", &inFlight)
    try visitor.bool(5, "rehearsal", &rehearsal)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let productVersion = 64
    package static let operations = 128
    package static let operationsCount = 256
  }
}

/// What anyone who may use a key may know of it.
package struct KeyDescription: Message, Hashable, Sendable {
  /// 16 bytes.
  package var id: [UInt8] = []
  /// At most 128 bytes.
  package var label: String = ""
  /// At most 64 bytes.
  package var role: String = ""
  /// At most 32 bytes.
  package var state: String = ""
  /// At most 32 bytes.
  package var algorithm: String = ""
  /// At most 16 bytes.
  package var usage: String = ""
  /// At most 255 bytes.
  package var merchantIdentifier: String = ""
  /// At most 1024 bytes; SubjectPublicKeyInfo; not in listings.
  package var publicKey: [UInt8] = []
  /// At most 32 bytes; SHA-256 of the SubjectPublicKeyInfo, or a 5-byte KCV.
  package var checkValue: [UInt8] = []
  /// At most 8192 bytes; DER; not in listings.
  package var certificate: [UInt8] = []
  /// Seconds since 1970, as all times here.
  package var created: UInt64 = 0
  /// Zero for never.
  package var activated: UInt64 = 0
  package var notAfter: UInt64 = 0
  /// Zero for never.
  package var lastUse: UInt64 = 0
  package var uses: UInt64 = 0
  /// Of a key for one-time values.
  package var otp = OTPParameters()
  /// Whether it may leave under an exchange key.
  package var exportable: Bool = false
  package var notBefore: UInt64 = 0
  /// Zero for any number of uses.
  package var useLimit: UInt64 = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "id", &id, .exactly(Caps.id))
    try visitor.text(2, "label", &label, .atMost(Caps.label))
    try visitor.text(3, "role", &role, .atMost(Caps.role))
    try visitor.text(4, "state", &state, .atMost(Caps.state))
    try visitor.text(5, "algorithm", &algorithm, .atMost(Caps.algorithm))
    try visitor.text(6, "usage", &usage, .atMost(Caps.usage))
    try visitor.text(
      7, "merchant_identifier", &merchantIdentifier, .atMost(Caps.merchantIdentifier))
    try visitor.bytes(8, "public_key", &publicKey, .atMost(Caps.publicKey))
    try visitor.bytes(9, "check_value", &checkValue, .atMost(Caps.checkValue))
    try visitor.bytes(10, "certificate", &certificate, .atMost(Caps.certificate))
    try visitor.uint64(11, "created", &created)
    try visitor.uint64(12, "activated", &activated)
    try visitor.uint64(13, "not_after", &notAfter)
    try visitor.uint64(14, "last_use", &lastUse)
    try visitor.uint64(15, "uses", &uses)
    try visitor.message(16, "otp", "OtpParameters", &otp, atMost: Caps.otp)
    try visitor.bool(17, "exportable", &exportable)
    try visitor.uint64(18, "not_before", &notBefore)
    try visitor.uint64(19, "use_limit", &useLimit)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let id = 16
    package static let label = 128
    package static let role = 64
    package static let state = 32
    package static let algorithm = 32
    package static let usage = 16
    package static let merchantIdentifier = 255
    package static let publicKey = 1024
    package static let checkValue = 32
    package static let certificate = 8192
    package static let otp = 256
  }
}

/// What `list-keys` answers.
package struct ListKeysReply: Message, Hashable, Sendable {
  package var keys: [KeyDescription] = []
  package var more: Bool = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.messages(
      1, "keys", "KeyDescription", &keys, atMost: Caps.keys, count: Caps.keysCount)
    try visitor.bool(2, "more", &more)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let keys = 16384
    package static let keysCount = 64
  }
}

/// What `random` answers.
package struct RandomReply: Message, ~Escapable {
  /// At most 1024 bytes.
  package var random: Span<UInt8>

  @_lifetime(immortal) package init() {
    random = Span()
  }

  @_lifetime(copy random) package init(random: Span<UInt8>) { self.random = random }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "random", &random, .atMost(Caps.random))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let random = 1024
  }
}

/// What `who` answers.
package struct WhoReply: Message, Hashable, Sendable {
  /// As the kernel says.
  package var uid: UInt32 = 0
  /// As the kernel says.
  package var gid: UInt32 = 0
  /// At most 256 bytes; absent where the daemon sees none.
  package var unit: String = ""
  /// What the caller may do on this socket.
  package var rights: [Right] = []
  /// Some of it did not fit.
  package var more: Bool = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "uid", &uid)
    try visitor.uint32(2, "gid", &gid)
    try visitor.text(3, "unit", &unit, .atMost(Caps.unit))
    try visitor.messages(
      4, "rights", "Right", &rights, atMost: Caps.rights, count: Caps.rightsCount)
    try visitor.bool(5, "more", &more)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let unit = 256
    package static let rights = 32768
    package static let rightsCount = 24
  }
}

/// What `audit-digest` answers.
package struct AuditDigestReply: Message, Hashable, Sendable {
  /// At most 76 bytes; hmac-sha256: and 64 digits.
  package var digest: String = ""

  package init() {}

  package init(digest: String) { self.digest = digest }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "digest", &digest, .oneTo(Caps.digest))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let digest = 76
  }
}

/// What `verify-payment-token` answers.
package struct VerifyPaymentTokenReply: Message, Hashable, Sendable {
  /// Seconds since 1970, by the signature.
  package var signingTime: UInt64 = 0

  package init() {}

  package init(signingTime: UInt64) { self.signingTime = signingTime }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint64(1, "signing_time", &signingTime)
  }
}

/// The released fields of an opened token; one that was not released, or that the token does not
/// have, is absent.
package struct OpenPaymentTokenReply: Message, ~Escapable {
  package var dpan: Span<UInt8>
  package var last4: Span<UInt8>
  package var bin: Span<UInt8>
  package var network: Span<UInt8>
  /// YYMMDD.
  package var expiry: Span<UInt8>
  package var currency: Span<UInt8>
  /// Minor units.
  package var amount: UInt64?
  /// Base64 text, as Apple wrote it.
  package var cryptogram: Span<UInt8>
  package var eci: Span<UInt8>
  /// 3DSecure or EMV.
  package var paymentDataType: Span<UInt8>
  /// Hexadecimal.
  package var deviceManufacturer: Span<UInt8>
  /// Base64 text, as Apple wrote it.
  package var emvData: Span<UInt8>
  /// Hexadecimal, of EMV.
  package var encryptedPIN: Span<UInt8>
  /// If the issuer gave it.
  package var cardholderName: Span<UInt8>
  /// JSON.
  package var authenticationResponses: Span<UInt8>
  /// JSON: merchantTokenIdentifier and merchantTokenMetadata.
  package var merchantToken: Span<UInt8>
  /// The whole decrypted JSON.
  package var raw: Span<UInt8>
  /// Seconds since 1970, by the signature.
  package var signingTime: UInt64 = 0
  package var surrogate: Span<UInt8>
  package var envelope: Span<UInt8>
  /// Everything that is released, for a partner: compact serialisation.
  package var jwe: Span<UInt8>

  @_lifetime(immortal) package init() {
    dpan = Span()
    last4 = Span()
    bin = Span()
    network = Span()
    expiry = Span()
    currency = Span()
    cryptogram = Span()
    eci = Span()
    paymentDataType = Span()
    deviceManufacturer = Span()
    emvData = Span()
    encryptedPIN = Span()
    cardholderName = Span()
    authenticationResponses = Span()
    merchantToken = Span()
    raw = Span()
    surrogate = Span()
    envelope = Span()
    jwe = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "dpan", &dpan, .any)
    try visitor.text(2, "last4", &last4, .any)
    try visitor.text(3, "bin", &bin, .any)
    try visitor.text(4, "network", &network, .any)
    try visitor.text(5, "expiry", &expiry, .any)
    try visitor.text(6, "currency", &currency, .any)
    try visitor.uint64(7, "amount", &amount)
    try visitor.text(8, "cryptogram", &cryptogram, .any)
    try visitor.text(9, "eci", &eci, .any)
    try visitor.text(10, "payment_data_type", &paymentDataType, .any)
    try visitor.text(11, "device_manufacturer", &deviceManufacturer, .any)
    try visitor.text(12, "emv_data", &emvData, .any)
    try visitor.text(13, "encrypted_pin", &encryptedPIN, .any)
    try visitor.text(14, "cardholder_name", &cardholderName, .any)
    try visitor.text(15, "authentication_responses", &authenticationResponses, .any)
    try visitor.text(16, "merchant_token", &merchantToken, .any)
    try visitor.bytes(17, "raw", &raw, .any)
    try visitor.uint64(18, "signing_time", &signingTime)
    try visitor.text(20, "surrogate", &surrogate, .any)
    try visitor.bytes(21, "envelope", &envelope, .any)
    try visitor.text(22, "jwe", &jwe, .any)
  }

  /// A field's bytes; empty for one that is absent, and for a number.
  package subscript(_ field: ReleasedField) -> Span<UInt8> {
    @_lifetime(copy self)
    get {
      switch field {
      case .dpan: dpan
      case .last4: last4
      case .bin: bin
      case .network: network
      case .expiry: expiry
      case .currency: currency
      case .amount: Span()
      case .cryptogram: cryptogram
      case .eci: eci
      case .paymentDataType: paymentDataType
      case .deviceManufacturer: deviceManufacturer
      case .emvData: emvData
      case .encryptedPIN: encryptedPIN
      case .cardholderName: cardholderName
      case .authenticationResponses: authenticationResponses
      case .merchantToken: merchantToken
      case .raw: raw
      case .surrogate: surrogate
      case .envelope: envelope
      case .jwe: jwe
      }
    }
  }
}

/// What `provision-pass` answers.
package struct ProvisionPassReply: Message, ~Escapable {
  /// At most 16384 bytes; ciphertext and 16-byte tag.
  package var encryptedPassData: Span<UInt8>
  /// 65 bytes.
  package var ephemeralPublicKey: Span<UInt8>
  /// At most 4096 bytes.
  package var activationData: Span<UInt8>

  @_lifetime(immortal) package init() {
    encryptedPassData = Span()
    ephemeralPublicKey = Span()
    activationData = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "encrypted_pass_data", &encryptedPassData, .atMost(Caps.encryptedPassData))
    try visitor.bytes(
      2, "ephemeral_public_key", &ephemeralPublicKey, .exactly(Caps.ephemeralPublicKey))
    try visitor.bytes(3, "activation_data", &activationData, .atMost(Caps.activationData))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let encryptedPassData = 16384
    package static let ephemeralPublicKey = 65
    package static let activationData = 4096
  }
}

/// What `provision-trace` answers.
package struct ProvisionTraceReply: Message, ~Escapable {
  /// 32 bytes.
  package var publicKeyHash: Span<UInt8>
  /// 65 bytes.
  package var ephemeralPublicKey: Span<UInt8>
  /// 32 bytes; Z.
  package var sharedSecret: Span<UInt8>
  /// 84 bytes.
  package var otherInfo: Span<UInt8>
  /// 32 bytes; the content key.
  package var sharedKey: Span<UInt8>
  /// At most 4112 bytes; ciphertext and tag.
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
    try visitor.bytes(1, "public_key_hash", &publicKeyHash, .exactly(Caps.publicKeyHash))
    try visitor.bytes(
      2, "ephemeral_public_key", &ephemeralPublicKey, .exactly(Caps.ephemeralPublicKey))
    try visitor.bytes(3, "shared_secret", &sharedSecret, .exactly(Caps.sharedSecret))
    try visitor.bytes(4, "other_info", &otherInfo, .exactly(Caps.otherInfo))
    try visitor.bytes(5, "shared_key", &sharedKey, .exactly(Caps.sharedKey))
    try visitor.bytes(6, "encrypted_pass_data", &encryptedPassData, .atMost(Caps.encryptedPassData))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let publicKeyHash = 32
    package static let ephemeralPublicKey = 65
    package static let sharedSecret = 32
    package static let otherInfo = 84
    package static let sharedKey = 32
    package static let encryptedPassData = 4112
  }
}

/// What `sign-otp` answers.
package struct SignOTPReply: Message, ~Escapable {
  /// At most 2048 bytes; the value or code.
  package var otp: Span<UInt8>
  /// Of a code: its counter or time step.
  package var counter: UInt64?

  @_lifetime(immortal) package init() {
    otp = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "otp", &otp, .atMost(Caps.otp))
    try visitor.uint64(2, "counter", &counter)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let otp = 2048
  }
}

/// What `verify-otp` answers.
package struct VerifyOTPReply: Message, Hashable, Sendable {
  /// That the code was right for, or the time step.
  package var counter: UInt64 = 0

  package init() {}

  package init(counter: UInt64) { self.counter = counter }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint64(1, "counter", &counter)
  }
}

/// What `enrol-authenticator` answers.
package struct EnrolAuthenticatorReply: Message, ~Escapable {
  /// 20, 32 or 64 bytes, as long as the key's hash.
  package var secret: Span<UInt8>
  /// The subject's first authenticator is 1.
  package var number: UInt32 = 0
  /// How its codes are made.
  package var otp = OTPParameters()

  @_lifetime(immortal) package init() {
    secret = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "secret", &secret, .oneTo(Caps.secret))
    try visitor.uint32(2, "number", &number)
    try visitor.message(3, "otp", "OtpParameters", &otp, atMost: Caps.otp)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let secret = 64
    package static let otp = 256
  }
}

/// What `reset-otp-lockout` answers.
package struct ResetOTPLockoutReply: Message, Hashable, Sendable {
  /// Wrong codes in a row that were forgotten.
  package var failures: UInt32 = 0

  package init() {}

  package init(failures: UInt32) { self.failures = failures }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "failures", &failures)
  }
}

/// One of the two.
package struct ECDHReply: Message, ~Escapable {
  /// 16 bytes; of Z; absent where it is released.
  package var handle: Span<UInt8>
  /// Z: 32 or 48 bytes.
  package var sharedSecret: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    sharedSecret = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(Caps.handle))
    try visitor.bytes(2, "shared_secret", &sharedSecret, .atMost(Caps.sharedSecret))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let handle = 16
    package static let sharedSecret = 48
  }
}

/// One of the two.
package struct KDFReply: Message, ~Escapable {
  /// 16 bytes; of the derived key; absent where it is released.
  package var handle: Span<UInt8>
  /// At most 256 bytes; only where it is released.
  package var derivedKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
    derivedKey = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .absentOr(Caps.handle))
    try visitor.bytes(2, "derived_key", &derivedKey, .atMost(Caps.derivedKey))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let handle = 16
    package static let derivedKey = 256
  }
}

/// What `seal` answers.
package struct SealReply: Message, ~Escapable {
  /// At most 65581 bytes; an envelope.
  package var sealed: Span<UInt8>

  @_lifetime(immortal) package init() {
    sealed = Span()
  }

  @_lifetime(copy sealed) package init(sealed: Span<UInt8>) { self.sealed = sealed }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "sealed", &sealed, .atMost(Caps.sealed))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let sealed = 65581
  }
}

/// What `unseal` answers.
package struct UnsealReply: Message, ~Escapable {
  /// At most 65581 bytes.
  package var plaintext: Span<UInt8>

  @_lifetime(immortal) package init() {
    plaintext = Span()
  }

  @_lifetime(copy plaintext) package init(plaintext: Span<UInt8>) { self.plaintext = plaintext }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "plaintext", &plaintext, .atMost(Caps.plaintext))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let plaintext = 65581
  }
}

/// What `sign` answers.
package struct SignReply: Message, ~Escapable {
  /// At most 512 bytes.
  package var signature: Span<UInt8>

  @_lifetime(immortal) package init() {
    signature = Span()
  }

  @_lifetime(copy signature) package init(signature: Span<UInt8>) { self.signature = signature }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "signature", &signature, .atMost(Caps.signature))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let signature = 512
  }
}

/// What `mac` answers.
package struct MACReply: Message, ~Escapable {
  /// At most 64 bytes.
  package var mac: Span<UInt8>

  @_lifetime(immortal) package init() {
    mac = Span()
  }

  @_lifetime(copy mac) package init(mac: Span<UInt8>) { self.mac = mac }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "mac", &mac, .atMost(Caps.mac))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let mac = 64
  }
}

/// What `unwrap` answers.
package struct UnwrapReply: Message, ~Escapable {
  /// 16 bytes; of the key that was wrapped.
  package var handle: Span<UInt8>

  @_lifetime(immortal) package init() {
    handle = Span()
  }

  @_lifetime(copy handle) package init(handle: Span<UInt8>) { self.handle = handle }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "handle", &handle, .exactly(Caps.handle))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let handle = 16
  }
}

/// One of the two.
package struct TokeniseReply: Message, ~Escapable {
  /// At most 32 bytes; digits.
  package var surrogate: Span<UInt8>
  /// At most 66048 bytes.
  package var envelope: Span<UInt8>

  @_lifetime(immortal) package init() {
    surrogate = Span()
    envelope = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "surrogate", &surrogate, .atMost(Caps.surrogate))
    try visitor.bytes(3, "envelope", &envelope, .atMost(Caps.envelope))
  }

  package func check() throws(WireError) {
    if (!surrogate.isEmpty) == (!envelope.isEmpty) {
      throw .badValue(WireField(3, "envelope", "is needed, or surrogate, and not both"))
    }
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let surrogate = 32
    package static let envelope = 66048
  }
}

/// What `detokenise` answers.
package struct DetokeniseReply: Message, ~Escapable {
  /// At most 32 bytes; digits.
  package var pan: Span<UInt8>

  @_lifetime(immortal) package init() {
    pan = Span()
  }

  @_lifetime(copy pan) package init(pan: Span<UInt8>) { self.pan = pan }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "pan", &pan, .oneTo(Caps.pan))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let pan = 32
  }
}

/// What `status` answers.
package struct StatusReport: Message, Hashable, Sendable {
  /// At most 32 bytes.
  package var state: String = ""
  /// At most 64 bytes.
  package var productVersion: String = ""
  package var rehearsal: Bool = false
  /// Seconds since 1970.
  package var started: UInt64 = 0
  package var keys: UInt32 = 0
  /// Open now.
  package var connections: UInt32 = 0
  /// Records in the log.
  package var auditSize: UInt64 = 0
  /// At most 32 bytes.
  package var auditRoot: [UInt8] = []
  /// At most 512 bytes.
  package var auditVerifierKey: String = ""
  /// At most 32 bytes.
  package var policyHash: [UInt8] = []
  /// At most 32 bytes.
  package var arena: String = ""
  /// Bytes.
  package var arenaCapacity: UInt64 = 0
  /// Bytes.
  package var arenaUsed: UInt64 = 0
  /// The most bytes that were in use.
  package var arenaPeak: UInt64 = 0
  /// Whether the kernel would let the process be traced.
  package var dumpable: Bool = false
  package var lockedBytes: UInt64 = 0
  package var swappedBytes: UInt64 = 0
  /// Whether the kernel would write one.
  package var coreDumps: Bool = false
  /// Absent without Yama.
  package var ptraceScope: UInt64?
  package var seccomp: UInt32 = 0
  package var landlock: Bool = false
  /// At most 32 bytes.
  package var auditCondition: String = ""
  package var auditFree: UInt64 = 0
  package var stackCapacity: UInt64 = 0
  package var residentBytes: UInt64 = 0
  /// At most 1024 bytes.
  package var unmatchedGrants: String = ""
  package var nextKeyEnd: UInt64 = 0
  package var codeIntact: Bool = false
  package var storeFill: UInt32 = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "state", &state, .atMost(Caps.state))
    try visitor.text(2, "product_version", &productVersion, .atMost(Caps.productVersion))
    try visitor.bool(3, "rehearsal", &rehearsal)
    try visitor.uint64(4, "started", &started)
    try visitor.uint32(5, "keys", &keys)
    try visitor.uint32(6, "connections", &connections)
    try visitor.uint64(7, "audit_size", &auditSize)
    try visitor.bytes(8, "audit_root", &auditRoot, .atMost(Caps.auditRoot))
    try visitor.text(9, "audit_verifier_key", &auditVerifierKey, .atMost(Caps.auditVerifierKey))
    try visitor.bytes(10, "policy_hash", &policyHash, .atMost(Caps.policyHash))
    try visitor.text(11, "arena", &arena, .atMost(Caps.arena))
    try visitor.uint64(12, "arena_capacity", &arenaCapacity)
    try visitor.uint64(13, "arena_used", &arenaUsed)
    try visitor.uint64(14, "arena_peak", &arenaPeak)
    try visitor.bool(15, "dumpable", &dumpable)
    try visitor.uint64(16, "locked_bytes", &lockedBytes)
    try visitor.uint64(17, "swapped_bytes", &swappedBytes)
    try visitor.bool(18, "core_dumps", &coreDumps)
    try visitor.uint64(19, "ptrace_scope", &ptraceScope)
    try visitor.uint32(20, "seccomp", &seccomp)
    try visitor.bool(21, "landlock", &landlock)
    try visitor.text(22, "audit_condition", &auditCondition, .atMost(Caps.auditCondition))
    try visitor.uint64(23, "audit_free", &auditFree)
    try visitor.uint64(24, "stack_capacity", &stackCapacity)
    try visitor.uint64(25, "resident_bytes", &residentBytes)
    try visitor.text(26, "unmatched_grants", &unmatchedGrants, .atMost(Caps.unmatchedGrants))
    try visitor.uint64(27, "next_key_end", &nextKeyEnd)
    try visitor.bool(28, "code_intact", &codeIntact)
    try visitor.uint32(29, "store_fill", &storeFill)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let state = 32
    package static let productVersion = 64
    package static let auditRoot = 32
    package static let auditVerifierKey = 512
    package static let policyHash = 32
    package static let arena = 32
    package static let auditCondition = 32
    package static let unmatchedGrants = 1024
  }
}

/// What `metrics` answers.
package struct MetricsReply: Message, Hashable, Sendable {
  package var figures: [Figure] = []

  package init() {}

  package init(figures: [Figure]) { self.figures = figures }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.messages(
      1, "figures", "Figure", &figures, atMost: Caps.figures, count: Caps.figuresCount)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let figures = 512
    package static let figuresCount = 4096
  }
}

/// What `submit-share`, `share-progress` answer.
package struct ShareProgressReply: Message, Hashable, Sendable {
  /// Shares that were given.
  package var present: UInt32 = 0
  /// Zero where the key is not split.
  package var needed: UInt32 = 0
  /// When those that are there are wiped; zero where none are.
  package var until: UInt64 = 0
  /// Whether the last share opened the key store.
  package var unlocked: Bool = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "present", &present)
    try visitor.uint32(2, "needed", &needed)
    try visitor.uint64(3, "until", &until)
    try visitor.bool(4, "unlocked", &unlocked)
  }
}

/// What `record-drill` answers.
package struct RecordDrillReply: Message, Hashable, Sendable {
  /// Keys that are in the copy and here.
  package var matched: UInt32 = 0
  /// Keys that are in the copy alone.
  package var surplus: UInt32 = 0
  /// At most 128 bytes; labels.
  package var missing: [String] = []
  /// At most 128 bytes; labels.
  package var different: [String] = []

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "matched", &matched)
    try visitor.uint32(2, "surplus", &surplus)
    try visitor.texts(3, "missing", &missing, atMost: Caps.missing, count: Caps.missingCount)
    try visitor.texts(
      4, "different", &different, atMost: Caps.different, count: Caps.differentCount)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let missing = 128
    package static let missingCount = 64
    package static let different = 128
    package static let differentCount = 64
  }
}

/// What `certificate-request` answers.
package struct CertificateRequestReply: Message, ~Escapable {
  /// At most 2048 bytes; PKCS#10 DER.
  package var request: Span<UInt8>

  @_lifetime(immortal) package init() {
    request = Span()
  }

  @_lifetime(copy request) package init(request: Span<UInt8>) { self.request = request }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "request", &request, .atMost(Caps.request))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let request = 2048
  }
}

/// What `export-key` answers.
package struct ExportKeyReply: Message, Hashable, Sendable {
  /// At most 9999 bytes; an X9.143 key block.
  package var block: String = ""

  package init() {}

  package init(block: String) { self.block = block }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "block", &block, .atMost(Caps.block))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let block = 9999
  }
}

/// What `list-requests` answers.
package struct ListRequestsReply: Message, Hashable, Sendable {
  /// That wait.
  package var requests: [PendingRequest] = []

  package init() {}

  package init(requests: [PendingRequest]) { self.requests = requests }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.messages(
      1, "requests", "PendingRequest", &requests, atMost: Caps.requests, count: Caps.requestsCount)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let requests = 640
    package static let requestsCount = 64
  }
}

/// What `back-up` answers.
package struct BackUpReply: Message, Hashable, Sendable {
  /// At most 64 bytes.
  package var name: String = ""
  /// 32 bytes.
  package var digest: [UInt8] = []
  /// Of the manifest that was copied.
  package var generation: UInt64 = 0
  package var keys: UInt32 = 0
  /// The first record of the log that restoring the copy needs.
  package var needs: UInt64 = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "name", &name, .atMost(Caps.name))
    try visitor.bytes(2, "digest", &digest, .exactly(Caps.digest))
    try visitor.uint64(3, "generation", &generation)
    try visitor.uint32(4, "keys", &keys)
    try visitor.uint64(5, "needs", &needs)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let name = 64
    package static let digest = 32
  }
}
