/// `certificate-request`: what the subject of a request for a certificate says besides the merchant.
package struct CertificateRequestRequest: Hashable, Sendable {
  /// Empty for none.
  package let organization: String
  /// Two letters, or empty for none.
  package let country: String

  package init(organization: String, country: String) { (self.organization, self.country) = (organization, country) }

  package init(_ body: consuming MessageReader) throws(WireError) {
    organization = try body.string(Fields.organization, atMost: 64)
    country = try body.string(Fields.country, atMost: 2)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.string(Fields.organization, organization)
    try writer.string(Fields.country, country)
  }

  private enum Fields {
    static let organization = Field(1, "organization", .string)
    static let country = Field(2, "country", .string)
  }

  package static let schema = MessageSchema("CertificateRequestRequest", [Fields.organization, Fields.country])
}

package struct CertificateRequestReply: ~Escapable {
  /// PKCS #10 DER.
  package let request: Span<UInt8>

  @_lifetime(copy request)
  package init(request: Span<UInt8>) { self.request = request }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    request = try body.bytes(Fields.request, atMost: 2048)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.bytes(Fields.request, request) }

  private enum Fields {
    static let request = Field(1, "request", .bytes)
  }

  package static let schema = MessageSchema("CertificateRequestReply", [Fields.request])
}
