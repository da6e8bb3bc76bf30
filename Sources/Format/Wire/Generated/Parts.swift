// Written by proto/generate.py from kist.proto: do not edit.

/// A payment token, decoded from the base64 and hex of Apple's JSON.
package struct PaymentTokenMessage: Message, ~Escapable {
  package var version: ApplePayTokenVersion = .ecV1
  /// At most 65536 bytes; ciphertext and 16-byte tag.
  package var data: Span<UInt8>
  /// At most 16384 bytes; detached CMS SignedData.
  package var signature: Span<UInt8>
  /// EC_v1: SubjectPublicKeyInfo, 91 bytes.
  package var ephemeralPublicKey: Span<UInt8>
  /// At most 1024 bytes; RSA_v1.
  package var wrappedKey: Span<UInt8>
  /// 32 bytes.
  package var publicKeyHash: Span<UInt8>
  /// 32 bytes.
  package var transactionID: Span<UInt8>
  /// 32 bytes; or absent.
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
    try visitor.bytes(
      4, "ephemeral_public_key", &ephemeralPublicKey, .atMost(Caps.ephemeralPublicKey))
    try visitor.bytes(5, "wrapped_key", &wrappedKey, .atMost(Caps.wrappedKey))
    try visitor.bytes(6, "public_key_hash", &publicKeyHash, .exactly(Caps.publicKeyHash))
    try visitor.bytes(7, "transaction_id", &transactionID, .exactly(Caps.transactionID))
    try visitor.bytes(8, "application_data", &applicationData, .absentOr(Caps.applicationData))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let data = 65536
    package static let signature = 16384
    package static let ephemeralPublicKey = 1024
    package static let wrappedKey = 1024
    package static let publicKeyHash = 32
    package static let transactionID = 32
    package static let applicationData = 32
  }
}

/// An operation that the daemon knows.
package struct OperationDescription: Message, Hashable, Sendable {
  /// As in the table of operations.
  package var opcode: UInt32 = 0
  /// At most 64 bytes.
  package var name: String = ""
  /// Bytes, header included.
  package var requestCap: UInt32 = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "opcode", &opcode)
    try visitor.text(2, "name", &name, .atMost(Caps.name))
    try visitor.uint32(3, "request_cap", &requestCap)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let name = 64
  }
}

/// What a key for one-time values needs besides its role; absent for the usual, or where the role
/// has no such thing.
package struct OTPParameters: Message, Hashable, Sendable {
  /// At most 64 bytes; otp-visa: such as 123456.1.
  package var keySet: String = ""
  /// At most 64 bytes; otp-mastercard.
  package var keyAlias: String = ""
  /// otp-hotp, otp-totp: 6 to 8, and so on.
  package var digits: UInt32 = 0
  /// otp-hotp, otp-totp: of their HMAC.
  package var hash: OTPHashName?
  /// otp-totp: seconds.
  package var step: UInt32 = 0
  /// Counters, or time steps either way.
  package var window: UInt32?
  /// Before a lock-out.
  package var failures: UInt32 = 0
  /// Seconds.
  package var lockout: UInt32 = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "key_set", &keySet, .atMost(Caps.keySet))
    try visitor.text(2, "key_alias", &keyAlias, .atMost(Caps.keyAlias))
    try visitor.uint32(3, "digits", &digits)
    try visitor.enumeration(4, "hash", "OtpHash", &hash)
    try visitor.uint32(5, "step", &step)
    try visitor.uint32(6, "window", &window)
    try visitor.uint32(7, "failures", &failures)
    try visitor.uint32(8, "lockout", &lockout)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let keySet = 64
    package static let keyAlias = 64
  }
}

/// What one grant gives the caller; whom else it covers is left out.
package struct Right: Message, Hashable, Sendable {
  /// At most 64 bytes; its id in the policy.
  package var grant: String = ""
  /// At most 64 bytes; names.
  package var operations: [String] = []
  /// At most 128 bytes; labels, and prefixes that end in *.
  package var keys: [String] = []
  /// At most 64 bytes.
  package var released: [String] = []
  /// Whether rejections name theirs.
  package var stages: Bool = false
  /// At most 32 bytes; such as 200/s.
  package var rate: String = ""
  /// At most 32 bytes; such as 5000/d.
  package var quota: String = ""
  /// At most 32 bytes.
  package var keyQuota: String = ""
  /// The first second at which it is not in force; zero for no end.
  package var until: UInt64 = 0
  /// At most 32 bytes; such as mon-fri 08:00-18:00, UTC.
  package var hours: [String] = []

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "grant", &grant, .atMost(Caps.grant))
    try visitor.texts(
      2, "operations", &operations, atMost: Caps.operations, count: Caps.operationsCount)
    try visitor.texts(3, "keys", &keys, atMost: Caps.keys, count: Caps.keysCount)
    try visitor.texts(4, "released", &released, atMost: Caps.released, count: Caps.releasedCount)
    try visitor.bool(5, "stages", &stages)
    try visitor.text(6, "rate", &rate, .atMost(Caps.rate))
    try visitor.text(7, "quota", &quota, .atMost(Caps.quota))
    try visitor.text(8, "key_quota", &keyQuota, .atMost(Caps.keyQuota))
    try visitor.uint64(9, "until", &until)
    try visitor.texts(10, "hours", &hours, atMost: Caps.hours, count: Caps.hoursCount)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let grant = 64
    package static let operations = 64
    package static let operationsCount = 64
    package static let keys = 128
    package static let keysCount = 128
    package static let released = 64
    package static let releasedCount = 64
    package static let rate = 32
    package static let quota = 32
    package static let keyQuota = 32
    package static let hours = 32
    package static let hoursCount = 16
  }
}

/// For Visa Token Service: MBPAC and MPAC take nonce and code, MBPAD and MPAD number and expiry.
package struct VisaInput: Message, ~Escapable {
  /// Which of Visa's values.
  package var type: VisaType = .mbpac
  /// 1 to 64 bytes.
  package var nonce: Span<UInt8>
  /// At most 32 bytes; 1 to 32 letters and digits.
  package var authenticationCode: Span<UInt8>
  /// At most 19 bytes; digits.
  package var accountNumber: Span<UInt8>
  /// At most 4 bytes; MMYY.
  package var expiry: Span<UInt8>

  @_lifetime(immortal) package init() {
    nonce = Span()
    authenticationCode = Span()
    accountNumber = Span()
    expiry = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "type", "VisaType", &type)
    try visitor.bytes(2, "nonce", &nonce, .atMost(Caps.nonce))
    try visitor.text(
      3, "authentication_code", &authenticationCode, .atMost(Caps.authenticationCode))
    try visitor.text(4, "account_number", &accountNumber, .atMost(Caps.accountNumber))
    try visitor.text(5, "expiry", &expiry, .atMost(Caps.expiry))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let nonce = 64
    package static let authenticationCode = 32
    package static let accountNumber = 19
    package static let expiry = 4
  }
}

/// For Mastercard's MDES.
package struct MastercardInput: Message, ~Escapable {
  /// 2, 3 or 4.
  package var version: Int = 0
  /// At most 19 bytes; digits.
  package var accountNumber: Span<UInt8>
  /// At most 4 bytes; MMYY.
  package var expiry: Span<UInt8>
  /// At most 64 bytes; version 2.
  package var tokenReference: Span<UInt8>
  /// Versions 3 and 4; absent for half an hour.
  package var validUntil: UInt64 = 0

  @_lifetime(immortal) package init() {
    accountNumber = Span()
    expiry = Span()
    tokenReference = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "version", &version, in: Caps.version)
    try visitor.text(2, "account_number", &accountNumber, .atMost(Caps.accountNumber))
    try visitor.text(3, "expiry", &expiry, .atMost(Caps.expiry))
    try visitor.text(4, "token_reference", &tokenReference, .atMost(Caps.tokenReference))
    try visitor.uint64(5, "valid_until", &validUntil)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let version = 2...4
    package static let accountNumber = 19
    package static let expiry = 4
    package static let tokenReference = 64
  }
}

/// A card's number by its surrogate.
package struct AccountSurrogate: Message, ~Escapable {
  /// At most 32 bytes.
  package var surrogate: Span<UInt8>
  /// 16 bytes: the key that made it.
  package var key: Span<UInt8>
  /// At most 255 bytes.
  package var merchantIdentifier: String = ""

  @_lifetime(immortal) package init() {
    surrogate = Span()
    key = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "surrogate", &surrogate, .oneTo(Caps.surrogate))
    try visitor.bytes(2, "key", &key, .exactly(Caps.key))
    try visitor.text(
      3, "merchant_identifier", &merchantIdentifier, .atMost(Caps.merchantIdentifier))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let surrogate = 32
    package static let key = 16
    package static let merchantIdentifier = 255
  }
}

/// The parts of OtherInfo, put behind one another as they are.
package struct OtherInfo: Message, ~Escapable {
  /// At most 1024 bytes; SP 800-56A r3 §5.8.2.1.1.
  package var algorithmID: Span<UInt8>
  /// At most 1024 bytes; the same.
  package var partyUInfo: Span<UInt8>
  /// At most 1024 bytes; the same.
  package var partyVInfo: Span<UInt8>
  /// At most 1024 bytes; the same.
  package var suppPubInfo: Span<UInt8>
  /// At most 1024 bytes; the same.
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
    try visitor.bytes(1, "algorithm_id", &algorithmID, .atMost(Caps.algorithmID))
    try visitor.bytes(2, "party_u_info", &partyUInfo, .atMost(Caps.partyUInfo))
    try visitor.bytes(3, "party_v_info", &partyVInfo, .atMost(Caps.partyVInfo))
    try visitor.bytes(4, "supp_pub_info", &suppPubInfo, .atMost(Caps.suppPubInfo))
    try visitor.bytes(5, "supp_priv_info", &suppPrivInfo, .atMost(Caps.suppPrivInfo))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let algorithmID = 1024
    package static let partyUInfo = 1024
    package static let partyVInfo = 1024
    package static let suppPubInfo = 1024
    package static let suppPrivInfo = 1024
  }
}

/// A number, or a part of a histogram.
package struct Figure: Message, Hashable, Sendable {
  package var metric: Metric = .requests
  /// At most 128 bytes; the values of its labels, in the order of docs/METRICS.md.
  package var labels: [String] = []
  /// Of a histogram: the value counts what is at most so much, but more than the bound before; 2^64
  /// - 1 for no bound, zero for the sum.
  package var bound: UInt64 = 0
  /// Times are in nanoseconds, moments in seconds since 1970.
  package var value: UInt64 = 0

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "metric", "Metric", &metric)
    try visitor.texts(2, "labels", &labels, atMost: Caps.labels, count: Caps.labelsCount)
    try visitor.uint64(3, "bound", &bound)
    try visitor.uint64(4, "value", &value)
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let labels = 128
    package static let labelsCount = 2
  }
}

/// A key that was rebuilt from a backup.
package struct DrilledKey: Message, Hashable, Sendable {
  /// 16 bytes.
  package var id: [UInt8] = []
  /// At most 32 bytes; SHA-256 of the public key, or the check value of a symmetric key.
  package var checkValue: [UInt8] = []

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "id", &id, .exactly(Caps.id))
    try visitor.bytes(2, "check_value", &checkValue, .oneTo(Caps.checkValue))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let id = 16
    package static let checkValue = 32
  }
}

/// A request that waits for a second person.
package struct PendingRequest: Message, Hashable, Sendable {
  /// At most 16 bytes.
  package var id: String = ""
  /// Who asked.
  package var uid: UInt32 = 0
  /// At most 64 bytes.
  package var operation: String = ""
  /// 16 bytes.
  package var key: [UInt8] = []
  /// At most 128 bytes.
  package var label: String = ""
  /// SHA-256 of the body, or of swap-policy's policy, 32 bytes; of operators' operations alone.
  package var digest: [UInt8] = []
  /// When it ends, in seconds since 1970.
  package var until: UInt64 = 0
  /// A uid; absent until somebody has.
  package var approvedBy: UInt32?
  /// 16 bytes; of export-key alone, under what the key would leave.
  package var exchangeKey: [UInt8] = []
  /// At most 128 bytes.
  package var exchangeLabel: String = ""
  /// At most 32 bytes.
  package var exchangeCheckValue: [UInt8] = []
  /// At most 128 bytes; of reset-otp-lockout alone.
  package var subject: String = ""

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "id", &id, .atMost(Caps.id))
    try visitor.uint32(2, "uid", &uid)
    try visitor.text(3, "operation", &operation, .atMost(Caps.operation))
    try visitor.bytes(4, "key", &key, .absentOr(Caps.key))
    try visitor.text(5, "label", &label, .atMost(Caps.label))
    try visitor.bytes(6, "digest", &digest, .absentOr(Caps.digest))
    try visitor.uint64(7, "until", &until)
    try visitor.uint32(8, "approved_by", &approvedBy)
    try visitor.bytes(9, "exchange_key", &exchangeKey, .absentOr(Caps.exchangeKey))
    try visitor.text(10, "exchange_label", &exchangeLabel, .atMost(Caps.exchangeLabel))
    try visitor.bytes(
      11, "exchange_check_value", &exchangeCheckValue, .atMost(Caps.exchangeCheckValue))
    try visitor.text(12, "subject", &subject, .atMost(Caps.subject))
  }

  /// The most bytes of each, or the numbers that it takes.
  package enum Caps {
    package static let id = 16
    package static let operation = 64
    package static let key = 16
    package static let label = 128
    package static let digest = 32
    package static let exchangeKey = 16
    package static let exchangeLabel = 128
    package static let exchangeCheckValue = 32
    package static let subject = 128
  }
}
