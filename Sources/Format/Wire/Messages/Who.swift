/// `who`: who the caller is to the daemon, and the grants that cover it now.
package struct WhoReply: Message, Hashable, Sendable {
  /// What one grant gives the caller; whom else it covers is left out.
  package struct Right: Message, Hashable, Sendable {
    package var grant = ""
    package var operations: [String] = []
    /// Labels and prefixes.
    package var keys: [String] = []
    package var released: [String] = []
    package var showsStage = false
    /// As the policy files write them; empty where there is no limit.
    package var rate = ""
    package var quota = ""
    package var keyQuota = ""
    /// Seconds since 1970; zero for ever.
    package var until: UInt64 = 0
    /// As the policy files write them; empty for all hours.
    package var hours: [String] = []
    package init() {}

    package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
      try visitor.text(1, "grant", &grant, .atMost(64))
      try visitor.texts(2, "operations", &operations, atMost: 64, count: 64)
      try visitor.texts(3, "keys", &keys, atMost: 128, count: WhoReply.keyLimit)
      try visitor.texts(4, "released", &released, atMost: 64, count: 64)
      try visitor.bool(5, "stages", &showsStage)
      try visitor.text(6, "rate", &rate, .atMost(32))
      try visitor.text(7, "quota", &quota, .atMost(32))
      try visitor.text(8, "key_quota", &keyQuota, .atMost(32))
      try visitor.uint64(9, "until", &until)
      try visitor.texts(10, "hours", &hours, atMost: 32, count: WhoReply.hourLimit)
    }
  }

  package var uid: UInt32 = 0
  package var gid: UInt32 = 0
  /// Empty where the daemon sees none.
  package var unit = ""
  /// In the order in which they decide, at most `rightLimit`.
  package var rights: [Right] = []
  /// Whether some of it did not fit.
  package var more = false

  package static let rightLimit = 24
  /// Hours of one right.
  package static let hourLimit = 16
  /// Keys of one right, and of all together.
  package static let keyLimit = 128

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "uid", &uid)
    try visitor.uint32(2, "gid", &gid)
    try visitor.text(3, "unit", &unit, .atMost(256))
    try visitor.messages(4, "rights", "Right", &rights, atMost: 32 * 1024, count: Self.rightLimit)
    try visitor.bool(5, "more", &more)
  }
}
