/// `generate-key`: has the daemon make a key inside, so that nobody ever sees it.
package struct GenerateKeyRequest: Message, Hashable, Sendable {
  package var label = ""
  package var role = ""
  /// Such as `P-384` or `RSA-3072`; empty for the role's usual one.
  package var algorithm = ""
  /// Of a merchant's key.
  package var merchantIdentifier = ""
  /// Whether the key waits for its activation; a merchant's does anyhow, for its certificate.
  package var preActive = false
  /// Seconds since 1970; zero for none.
  package var notBefore: UInt64 = 0
  package var notAfter: UInt64 = 0
  /// Zero for any number of uses.
  package var useLimit: UInt64 = 0
  /// Whether it may leave under an exchange key.
  package var exportable = false
  /// Of a key for one-time values.
  package var otp = OTPParameters()
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "label", &label, .atMost(128))
    try visitor.text(2, "role", &role, .atMost(64))
    try visitor.text(3, "algorithm", &algorithm, .atMost(32))
    try visitor.text(4, "merchant_identifier", &merchantIdentifier, .atMost(255))
    try visitor.bool(5, "pre_active", &preActive)
    try visitor.uint64(6, "not_before", &notBefore)
    try visitor.uint64(7, "not_after", &notAfter)
    try visitor.uint64(8, "use_limit", &useLimit)
    try visitor.message(9, "otp", "OtpParameters", &otp, atMost: 256)
    try visitor.bool(10, "exportable", &exportable)
  }
}
