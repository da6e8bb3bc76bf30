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
