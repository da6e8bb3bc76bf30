internal import Encoding

/// `record-drill`: the keys that were rebuilt from a backup, by what they are recognised by.
package struct RecordDrillRequest: Hashable, Sendable {
  /// Of the backup's manifest.
  package let generation: UInt64
  /// The check value of the key encryption key, 5 bytes.
  package let kek: [UInt8]
  /// At most `keyLimit`.
  package let keys: [DrilledKey]

  package static let keyLimit = 1024

  package init(generation: UInt64, kek: [UInt8], keys: [DrilledKey]) { (self.generation, self.kek, self.keys) = (generation, kek, keys) }

  package init(_ body: consuming MessageReader) throws(WireError) {
    generation = try body.uint64(Fields.generation)
    kek = try body.bytes(Fields.kek, exactly: 5).array
    var keys: [DrilledKey] = []
    while let key = try body.element(Fields.keys, atMost: 64) {
      guard keys.count < Self.keyLimit else { throw .tooLong(Fields.keys.number) }
      keys.append(try DrilledKey(MessageReader(key)))
    }
    self.keys = keys
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    guard keys.count <= Self.keyLimit else { throw .tooLong(Fields.keys.number) }
    try writer.uint(Fields.generation, generation)
    try writer.bytes(Fields.kek, kek.span, exactly: 5)
    for key in keys {
      try writer.message(Fields.keys) { (nested) throws(WireError) in try key.encode(into: &nested) }
    }
  }

  private enum Fields {
    static let generation = Field(1, "generation", .uint64)
    static let kek = Field(2, "kek", .bytes)
    static let keys = Field(3, "keys", .message("DrilledKey"), .repeated)
  }

  package static let schema = MessageSchema("RecordDrillRequest", [Fields.generation, Fields.kek, Fields.keys])
}

/// A key that was rebuilt.
package struct DrilledKey: Hashable, Sendable {
  /// 16 bytes.
  package let id: [UInt8]
  /// SHA-256 of the SubjectPublicKeyInfo (32 bytes), or the KCV of a symmetric key.
  package let checkValue: [UInt8]

  package init(id: [UInt8], checkValue: [UInt8]) { (self.id, self.checkValue) = (id, checkValue) }

  package init(_ body: consuming MessageReader) throws(WireError) {
    id = try body.bytes(Fields.id, exactly: 16).array
    checkValue = try body.bytes(Fields.checkValue, atMost: 32).array
    guard !checkValue.isEmpty else { throw .badValue(Fields.checkValue.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.id, id.span, exactly: 16)
    try writer.bytes(Fields.checkValue, checkValue.span, atMost: 32)
  }

  private enum Fields {
    static let id = Field(1, "id", .bytes)
    static let checkValue = Field(2, "check_value", .bytes)
  }

  package static let schema = MessageSchema("DrilledKey", [Fields.id, Fields.checkValue])
}

/// How the keys of a drill compare with the daemon's own.
package struct RecordDrillReply: Hashable, Sendable {
  /// Keys that are the same in both.
  package var matched: UInt32 = 0
  /// Keys that the daemon never had.
  package var surplus: UInt32 = 0
  /// Labels of the daemon's keys that were not rebuilt, at most `labelLimit`.
  package var missing: [String] = []
  /// Labels of the daemon's keys that were rebuilt as other ones, at most `labelLimit`.
  package var different: [String] = []

  package static let labelLimit = 64

  package init() {}

  package init(_ body: consuming MessageReader) throws(WireError) {
    matched = try body.uint32(Fields.matched)
    surplus = try body.uint32(Fields.surplus)
    missing = try body.strings(Fields.missing, atMost: 128, count: Self.labelLimit)
    different = try body.strings(Fields.different, atMost: 128, count: Self.labelLimit)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.matched, UInt64(matched))
    try writer.uint(Fields.surplus, UInt64(surplus))
    try writer.strings(Fields.missing, missing)
    try writer.strings(Fields.different, different)
  }

  private enum Fields {
    static let matched = Field(1, "matched", .uint32)
    static let surplus = Field(2, "surplus", .uint32)
    static let missing = Field(3, "missing", .string, .repeated)
    static let different = Field(4, "different", .string, .repeated)
  }

  package static let schema = MessageSchema("RecordDrillReply", [Fields.matched, Fields.surplus, Fields.missing, Fields.different])
}
