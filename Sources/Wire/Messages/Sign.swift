/// `sign`: a signature over a message or its digest.
package struct SignRequest: ~Escapable {
  package let scheme: SignatureChoice
  /// Whether `message` is the message's digest.
  package let digested: Bool
  package let message: Span<UInt8>

  @_lifetime(copy message)
  package init(scheme: SignatureChoice, digested: Bool, message: Span<UInt8>) {
    self.scheme = scheme
    self.digested = digested
    self.message = message
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    scheme = try body.enumeration(Fields.scheme)
    digested = try body.bool(Fields.digested)
    message = try body.bytes(Fields.message, atMost: PrimitiveCaps.message)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.scheme, UInt64(scheme.rawValue))
    try writer.bool(Fields.digested, digested)
    try writer.bytes(Fields.message, message, atMost: PrimitiveCaps.message)
  }

  private enum Fields {
    static let scheme = Field(1, "scheme", .enumeration("SignatureScheme"))
    static let digested = Field(2, "digested", .bool)
    static let message = Field(3, "message", .bytes)
  }

  package static let schema = MessageSchema("SignRequest", [Fields.scheme, Fields.digested, Fields.message])
}

package struct SignReply: ~Escapable {
  package let signature: Span<UInt8>

  @_lifetime(copy signature)
  package init(signature: Span<UInt8>) { self.signature = signature }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    signature = try body.bytes(Fields.signature, atMost: PrimitiveCaps.modulus)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.signature, signature, atMost: PrimitiveCaps.modulus)
  }

  private enum Fields {
    static let signature = Field(1, "signature", .bytes)
  }

  package static let schema = MessageSchema("SignReply", [Fields.signature])
}
