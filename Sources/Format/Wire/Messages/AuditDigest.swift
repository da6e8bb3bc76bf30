/// `audit-digest`: how the audit log writes a value that could be guessed.
package struct AuditDigestRequest: Message, ~Escapable {
  package var field = DigestField.transaction
  /// Of a PAN its ASCII digits.
  package var value: Span<UInt8>

  /// The most bytes of a value.
  package static let valueLimit = OTPSubject.cap

  @_lifetime(immortal) package init() { value = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "field", "DigestField", &field)
    try visitor.bytes(2, "value", &value, .atMost(Self.valueLimit))
  }
}

package struct AuditDigestReply: Message, Hashable, Sendable {
  /// `hmac-sha256:` and 64 digits.
  package var digest = ""

  /// Bytes of the text.
  package static let digestLimit = 76

  package init() {}

  package init(digest: String) { self.digest = digest }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "digest", &digest, .oneTo(Self.digestLimit))
  }
}
