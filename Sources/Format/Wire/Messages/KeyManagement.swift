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

/// `import-key` and `import-block`: hands a key, decoded from its file by the operator's command or
/// in a key block, to the key store.
package struct ImportKeyRequest: Message, ~Escapable {
  package var label = ""
  package var role = ""
  /// RFC 5915, PKCS#1 or RFC 8410 DER, or the bytes of a symmetric key; in `import-block` the
  /// characters of a key block.
  package var privateKey: Span<UInt8>
  /// DER, or empty where the role needs none.
  package var certificate: Span<UInt8>
  /// Empty where the certificate names it.
  package var merchantIdentifier = ""
  /// Whether the key is active at once, or waits for activation.
  package var activate = false
  /// Seconds since 1970; zero for the certificate's own end.
  package var notAfter: UInt64 = 0
  /// Of a key for one-time values.
  package var otp = OTPParameters()
  /// Whether the key may leave under an exchange key.
  package var exportable = false
  /// Of a partner's key: `name=value` for each member of its JWEs' headers, with one space between.
  package var jweMembers = ""

  @_lifetime(immortal) package init() {
    privateKey = Span()
    certificate = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "label", &label, .atMost(128))
    try visitor.text(2, "role", &role, .atMost(64))
    try visitor.bytes(3, "private_key", &privateKey, .atMost(8192))
    try visitor.bytes(4, "certificate", &certificate, .atMost(8192))
    try visitor.text(5, "merchant_identifier", &merchantIdentifier, .atMost(255))
    try visitor.bool(6, "activate", &activate)
    try visitor.uint64(7, "not_after", &notAfter)
    try visitor.message(8, "otp", "OtpParameters", &otp, atMost: 256)
    try visitor.bool(9, "exportable", &exportable)
    try visitor.text(10, "jwe_members", &jweMembers, .atMost(512))
  }
}

/// `export-key`: under which exchange key the request's key is to leave.
package struct ExportKeyRequest: Message, Hashable, Sendable {
  /// 16 bytes.
  package var exchangeKey: [UInt8] = []
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "exchange_key", &exchangeKey, .exactly(KeyID.byteCount))
  }
}

package struct ExportKeyReply: Message, Hashable, Sendable {
  /// An X9.143 key block.
  package var block = ""
  package init() {}

  package init(block: String) { self.block = block }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "block", &block, .atMost(9999))
  }
}

/// `certificate-request`: what the subject of a request for a certificate says besides the
/// merchant.
package struct CertificateRequestRequest: Message, Hashable, Sendable {
  /// Empty for none.
  package var organization = ""
  /// Two letters, or empty for none.
  package var country = ""
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "organization", &organization, .atMost(64))
    try visitor.text(2, "country", &country, .atMost(2))
  }
}

package struct CertificateRequestReply: Message, ~Escapable {
  /// PKCS #10 DER.
  package var request: Span<UInt8>

  @_lifetime(immortal) package init() { request = Span() }

  @_lifetime(copy request) package init(request: Span<UInt8>) { self.request = request }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "request", &request, .atMost(2048))
  }
}

/// `attach-certificate`: the certificate that was made for a key that waits for it.
package struct AttachCertificateRequest: Message, ~Escapable {
  /// DER, 1 to 8192 bytes.
  package var certificate: Span<UInt8>

  @_lifetime(immortal) package init() { certificate = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "certificate", &certificate, .oneTo(8192))
  }
}
