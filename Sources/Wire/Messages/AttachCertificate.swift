/// `attach-certificate`: the certificate that was made for a key that waits for it.
package struct AttachCertificateRequest: ~Escapable {
  /// DER, 1 to 8192 bytes.
  package let certificate: Span<UInt8>

  @_lifetime(copy certificate)
  package init(certificate: Span<UInt8>) { self.certificate = certificate }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    certificate = try body.bytes(Fields.certificate, atMost: 8192)
    guard !certificate.isEmpty else { throw .badValue(Fields.certificate.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.bytes(Fields.certificate, certificate) }

  private enum Fields {
    static let certificate = Field(1, "certificate", .bytes)
  }

  package static let schema = MessageSchema("AttachCertificateRequest", [Fields.certificate])
}
