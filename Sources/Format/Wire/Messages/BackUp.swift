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

/// `record-drill`: the keys that were rebuilt from a backup, by what they are recognised by.
package struct RecordDrillRequest: Message, Hashable, Sendable {
  /// Of the backup's manifest.
  package var generation: UInt64 = 0
  /// The check value of the key encryption key, 5 bytes.
  package var kek: [UInt8] = []
  /// At most `keyLimit`; of a larger store in several requests, in ascending order of id.
  package var keys: [DrilledKey] = []
  /// The last id of the request before, 16 bytes; empty in the first.
  package var after: [UInt8] = []
  /// Whether another request follows: then this one compares the ids up to its last.
  package var more = false

  package static let keyLimit = 1024

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint64(1, "generation", &generation)
    try visitor.bytes(2, "kek", &kek, .exactly(5))
    try visitor.messages(3, "keys", "DrilledKey", &keys, atMost: 64, count: Self.keyLimit)
    try visitor.bytes(4, "after", &after, .absentOr(16))
    try visitor.bool(5, "more", &more)
  }
}

/// A key that was rebuilt.
package struct DrilledKey: Message, Hashable, Sendable {
  /// 16 bytes.
  package var id: [UInt8] = []
  /// SHA-256 of the SubjectPublicKeyInfo (32 bytes), or the KCV of a symmetric key.
  package var checkValue: [UInt8] = []
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "id", &id, .exactly(16))
    try visitor.bytes(2, "check_value", &checkValue, .oneTo(32))
  }
}

/// How the keys of a drill compare with the daemon's own.
package struct RecordDrillReply: Message, Hashable, Sendable {
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

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "matched", &matched)
    try visitor.uint32(2, "surplus", &surplus)
    try visitor.texts(3, "missing", &missing, atMost: 128, count: Self.labelLimit)
    try visitor.texts(4, "different", &different, atMost: 128, count: Self.labelLimit)
  }
}
