/// What anyone who may use a key may know of it; the reply of `describe-key` and `import-key`, and
/// an element of `list-keys`.
package struct KeyDescription: Message, Hashable, Sendable {
  /// 16 bytes.
  package var id: [UInt8] = []
  package var label = ""
  package var role = ""
  package var state = ""
  /// Such as `P-256` or `RSA-2048`.
  package var algorithm = ""
  /// The key block header's usage, algorithm and mode, such as `K3 E X`.
  package var usage = ""
  package var merchantIdentifier = ""
  /// SubjectPublicKeyInfo of an asymmetric key; left out of listings.
  package var publicKey: [UInt8] = []
  /// SHA-256 of the SubjectPublicKeyInfo (32 bytes) or the KCV of a symmetric key (5 bytes).
  package var checkValue: [UInt8] = []
  /// DER; left out of listings.
  package var certificate: [UInt8] = []
  /// Seconds since 1970; zero where not known.
  package var created: UInt64 = 0
  package var activated: UInt64 = 0
  package var notBefore: UInt64 = 0
  package var notAfter: UInt64 = 0
  package var lastUse: UInt64 = 0
  package var uses: UInt64 = 0
  /// Of a key for one-time values.
  package var otp = OTPParameters()
  /// Whether the key may leave under an exchange key.
  package var exportable = false
  /// Zero for any number of uses.
  package var useLimit: UInt64 = 0
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "id", &id, .exactly(KeyID.byteCount))
    try visitor.text(2, "label", &label, .atMost(128))
    try visitor.text(3, "role", &role, .atMost(64))
    try visitor.text(4, "state", &state, .atMost(32))
    try visitor.text(5, "algorithm", &algorithm, .atMost(32))
    try visitor.text(6, "usage", &usage, .atMost(16))
    try visitor.text(7, "merchant_identifier", &merchantIdentifier, .atMost(255))
    try visitor.bytes(8, "public_key", &publicKey, .atMost(1024))
    try visitor.bytes(9, "check_value", &checkValue, .atMost(32))
    try visitor.bytes(10, "certificate", &certificate, .atMost(8192))
    try visitor.uint64(11, "created", &created)
    try visitor.uint64(12, "activated", &activated)
    try visitor.uint64(13, "not_after", &notAfter)
    try visitor.uint64(14, "last_use", &lastUse)
    try visitor.uint64(15, "uses", &uses)
    try visitor.message(16, "otp", "OtpParameters", &otp, atMost: 256)
    try visitor.bool(17, "exportable", &exportable)
    try visitor.uint64(18, "not_before", &notBefore)
    try visitor.uint64(19, "use_limit", &useLimit)
  }
}

/// `list-keys`: the keys the caller may use, in the order of their labels, a page at a time.
package struct ListKeysRequest: Message, Hashable, Sendable {
  /// Only labels that begin so.
  package var prefix = ""
  /// Only labels behind this one; a page's last label asks for the next page.
  package var after = ""
  /// Only the labels that this pattern of policy covers, such as `merchant/acme/*`; all if it is
  /// empty.
  package var pattern = ""
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "prefix", &prefix, .atMost(128))
    try visitor.text(2, "after", &after, .atMost(128))
    try visitor.text(3, "pattern", &pattern, .atMost(128))
  }
}

package struct ListKeysReply: Message, Hashable, Sendable {
  /// At most `pageSize`.
  package var keys: [KeyDescription] = []
  /// Whether a further page follows.
  package var more = false

  package static let pageSize = 64

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.messages(
      1, "keys", "KeyDescription", &keys, atMost: 16 * 1024, count: Self.pageSize)
    try visitor.bool(2, "more", &more)
  }
}
