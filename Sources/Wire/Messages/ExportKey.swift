internal import Encoding

/// `export-key`: under which exchange key the request's key is to leave.
package struct ExportKeyRequest: Hashable, Sendable {
  /// 16 bytes.
  package let exchangeKey: [UInt8]

  package init(exchangeKey: KeyID) { self.exchangeKey = exchangeKey.bytes }

  package init(_ body: consuming MessageReader) throws(WireError) {
    let exchangeKey = try body.bytes(Fields.exchangeKey, exactly: KeyID.byteCount)
    self.exchangeKey = exchangeKey.array
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.bytes(Fields.exchangeKey, exchangeKey.span) }

  private enum Fields {
    static let exchangeKey = Field(1, "exchange_key", .bytes)
  }

  package static let schema = MessageSchema("ExportKeyRequest", [Fields.exchangeKey])
}

package struct ExportKeyReply: Hashable, Sendable {
  /// An X9.143 key block.
  package let block: String

  package init(block: String) { self.block = block }

  package init(_ body: consuming MessageReader) throws(WireError) {
    block = try body.string(Fields.block, atMost: 9999)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.string(Fields.block, block) }

  private enum Fields {
    static let block = Field(1, "block", .string)
  }

  package static let schema = MessageSchema("ExportKeyReply", [Fields.block])
}
