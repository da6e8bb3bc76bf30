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
