/// `certificate-request`: what the subject of a request for a certificate says besides the merchant.
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
