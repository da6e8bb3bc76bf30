/// `unlock`: opens the key store with the operator's passphrase.
package struct UnlockRequest: ~Escapable {
  /// 1 to 1024 bytes.
  package let passphrase: Span<UInt8>

  @_lifetime(copy passphrase)
  package init(passphrase: Span<UInt8>) { self.passphrase = passphrase }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    passphrase = try body.bytes(Fields.passphrase, atMost: 1024)
    guard !passphrase.isEmpty else { throw .badValue(Fields.passphrase.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.bytes(Fields.passphrase, passphrase) }

  private enum Fields {
    static let passphrase = Field(1, "passphrase", .bytes)
  }

  package static let schema = MessageSchema("UnlockRequest", [Fields.passphrase])
}
