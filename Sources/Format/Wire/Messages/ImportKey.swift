/// `import-key` and `import-block`: hands a key, decoded from its file by the operator's command or in a key block, to the key store.
package struct ImportKeyRequest: Message, ~Escapable {
  package var label = ""
  package var role = ""
  /// RFC 5915, PKCS#1 or RFC 8410 DER, or the bytes of a symmetric key; in `import-block` the characters of a key block.
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

  @_lifetime(immortal) package init() { (privateKey, certificate) = (Span(), Span()) }

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
