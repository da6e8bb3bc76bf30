/// `back-up`: which copy was made; the request has no body.
package struct BackUpReply: Message, Hashable, Sendable {
  /// Of the directory that was made; at most 64 bytes.
  package var name = ""
  /// Of the copy, 32 bytes.
  package var digest: [UInt8] = []
  package var generation: UInt64 = 0
  /// Keys in the copy that are not destroyed.
  package var keys: UInt32 = 0
  /// The first record of the log that restoring the copy needs.
  package var needs: UInt64 = 0
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "name", &name, .atMost(64))
    try visitor.bytes(2, "digest", &digest, .exactly(32))
    try visitor.uint64(3, "generation", &generation)
    try visitor.uint32(4, "keys", &keys)
    try visitor.uint64(5, "needs", &needs)
  }
}
