internal import Encoding

/// `back-up`: which copy was made; the request has no body.
package struct BackUpReply: Hashable, Sendable {
  /// Of the directory that was made; at most 64 bytes.
  package let name: String
  /// Of the copy, 32 bytes.
  package let digest: [UInt8]
  package let generation: UInt64
  /// Keys in the copy that are not destroyed.
  package let keys: UInt32

  package init(name: String, digest: [UInt8], generation: UInt64, keys: UInt32) {
    (self.name, self.digest, self.generation, self.keys) = (name, digest, generation, keys)
  }

  package init(_ body: consuming MessageReader) throws(WireError) {
    name = try body.string(Fields.name, atMost: 64)
    let digest = try body.bytes(Fields.digest, exactly: 32)
    self.digest = digest.array
    generation = try body.uint64(Fields.generation)
    keys = try body.uint32(Fields.keys)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.string(Fields.name, name)
    try writer.bytes(Fields.digest, digest.span)
    try writer.uint(Fields.generation, generation)
    try writer.uint(Fields.keys, UInt64(keys))
  }

  private enum Fields {
    static let name = Field(1, "name", .string)
    static let digest = Field(2, "digest", .bytes)
    static let generation = Field(3, "generation", .uint64)
    static let keys = Field(4, "keys", .uint32)
  }

  package static let schema = MessageSchema("BackUpReply", [Fields.name, Fields.digest, Fields.generation, Fields.keys])
}
