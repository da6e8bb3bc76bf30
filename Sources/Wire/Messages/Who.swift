/// `who`: who the caller is to the daemon, and the grants that cover it now.
package struct WhoReply: Hashable, Sendable {
  /// What one grant gives the caller; whom else it covers is left out.
  package struct Right: Hashable, Sendable {
    package let grant: String
    package let operations: [String]
    /// Labels and prefixes.
    package let keys: [String]
    package let released: [String]
    package let showsStage: Bool
    /// As the policy files write them; empty where there is no limit.
    package let rate, quota, keyQuota: String
    /// Seconds since 1970; zero for ever.
    package let until: UInt64
    /// As the policy files write them; empty for all hours.
    package let hours: [String]

    package init(
      grant: String, operations: [String], keys: [String], released: [String], showsStage: Bool, rate: String, quota: String, keyQuota: String,
      until: UInt64, hours: [String]
    ) {
      (self.grant, self.operations, self.keys, self.released) = (grant, operations, keys, released)
      (self.showsStage, self.rate, self.quota, self.keyQuota) = (showsStage, rate, quota, keyQuota)
      (self.until, self.hours) = (until, hours)
    }

    package init(_ body: consuming MessageReader) throws(WireError) {
      grant = try body.string(Fields.grant, atMost: 64)
      operations = try body.strings(Fields.operations, atMost: 64, count: 64)
      keys = try body.strings(Fields.keys, atMost: 128, count: WhoReply.keyLimit)
      released = try body.strings(Fields.released, atMost: 64, count: 64)
      showsStage = try body.bool(Fields.stages)
      rate = try body.string(Fields.rate, atMost: 32)
      quota = try body.string(Fields.quota, atMost: 32)
      keyQuota = try body.string(Fields.keyQuota, atMost: 32)
      until = try body.uint64(Fields.until)
      hours = try body.strings(Fields.hours, atMost: 32, count: WhoReply.hourLimit)
      try body.end()
    }

    package func encode(into writer: inout MessageWriter) throws(WireError) {
      try writer.string(Fields.grant, grant)
      try writer.strings(Fields.operations, operations)
      try writer.strings(Fields.keys, keys)
      try writer.strings(Fields.released, released)
      try writer.bool(Fields.stages, showsStage)
      try writer.string(Fields.rate, rate)
      try writer.string(Fields.quota, quota)
      try writer.string(Fields.keyQuota, keyQuota)
      try writer.uint(Fields.until, until)
      try writer.strings(Fields.hours, hours)
    }

    private enum Fields {
      static let grant = Field(1, "grant", .string)
      static let operations = Field(2, "operations", .string, .repeated)
      static let keys = Field(3, "keys", .string, .repeated)
      static let released = Field(4, "released", .string, .repeated)
      static let stages = Field(5, "stages", .bool)
      static let rate = Field(6, "rate", .string)
      static let quota = Field(7, "quota", .string)
      static let keyQuota = Field(8, "key_quota", .string)
      static let until = Field(9, "until", .uint64)
      static let hours = Field(10, "hours", .string, .repeated)
    }

    package static let schema = MessageSchema(
      "Right",
      [
        Fields.grant, Fields.operations, Fields.keys, Fields.released, Fields.stages, Fields.rate, Fields.quota, Fields.keyQuota, Fields.until, Fields.hours,
      ])
  }

  package let uid, gid: UInt32
  /// Empty where the daemon sees none.
  package let unit: String
  /// In the order in which they decide, at most `rightLimit`.
  package let rights: [Right]
  /// Whether some of it did not fit.
  package let more: Bool

  package static let rightLimit = 24
  /// Hours of one right.
  package static let hourLimit = 16
  /// Keys of one right, and of all together.
  package static let keyLimit = 128

  package init(uid: UInt32, gid: UInt32, unit: String, rights: [Right], more: Bool) {
    (self.uid, self.gid, self.unit, self.rights, self.more) = (uid, gid, unit, rights, more)
  }

  package init(_ body: consuming MessageReader) throws(WireError) {
    uid = try body.uint32(Fields.uid)
    gid = try body.uint32(Fields.gid)
    unit = try body.string(Fields.unit, atMost: 256)
    var rights: [Right] = []
    while let right = try body.element(Fields.rights, atMost: 32 * 1024) {
      guard rights.count < Self.rightLimit else { throw .tooLong(Fields.rights.number) }
      rights.append(try Right(MessageReader(right)))
    }
    self.rights = rights
    more = try body.bool(Fields.more)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.uid, UInt64(uid))
    try writer.uint(Fields.gid, UInt64(gid))
    try writer.string(Fields.unit, unit)
    for right in rights {
      try writer.message(Fields.rights) { (nested) throws(WireError) in try right.encode(into: &nested) }
    }
    try writer.bool(Fields.more, more)
  }

  private enum Fields {
    static let uid = Field(1, "uid", .uint32)
    static let gid = Field(2, "gid", .uint32)
    static let unit = Field(3, "unit", .string)
    static let rights = Field(4, "rights", .message("Right"), .repeated)
    static let more = Field(5, "more", .bool)
  }

  package static let schema = MessageSchema("WhoReply", [Fields.uid, Fields.gid, Fields.unit, Fields.rights, Fields.more])
}
