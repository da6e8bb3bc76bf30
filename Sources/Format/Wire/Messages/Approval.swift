/// The body of an `approval-needed` reply: what a second person is asked to approve.
package struct ApprovalNeeded: Message, Hashable, Sendable {
  /// The request's short name, eight digits of hexadecimal.
  package var request = ""
  /// Seconds since 1970; from then on the request is forgotten.
  package var until: UInt64 = 0
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "request", &request, .atMost(16))
    try visitor.uint64(2, "until", &until)
  }
}

/// `approve`: a second person lets somebody else's request run, once.
package struct ApproveRequest: Message, Hashable, Sendable {
  /// As `ApprovalNeeded` names it.
  package var request = ""
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "request", &request, .oneTo(16))
  }
}

/// `list-requests`: what waits for a second person.
package struct ListRequestsReply: Message, Hashable, Sendable {
  package struct Request: Message, Hashable, Sendable {
    /// As `ApprovalNeeded` names it.
    package var id = ""
    /// Who asks.
    package var uid: UInt32 = 0
    package var operation = ""
    /// 16 bytes; empty where it names no key.
    package var key: [UInt8] = []
    package var label = ""
    /// SHA-256 of the request's body, or for `swap-policy` of the policy, 32 bytes; empty for a
    /// service's, which may hold a card number.
    package var digest: [UInt8] = []
    /// Seconds since 1970.
    package var until: UInt64 = 0
    /// Who approved; nil while nobody has.
    package var approvedBy: UInt32?
    /// The key under which `export-key` would have the key leave, 16 bytes; empty for other
    /// operations, or if there is no such key.
    package var exchangeKey: [UInt8] = []
    package var exchangeLabel = ""
    /// As `KeyDescription` has it.
    package var exchangeCheckValue: [UInt8] = []
    /// Whose lock-out `reset-otp-lockout` would reset; empty for other operations, and for the
    /// key's own codes.
    package var subject = ""

    package init() {}

    package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
      try visitor.text(1, "id", &id, .atMost(16))
      try visitor.uint32(2, "uid", &uid)
      try visitor.text(3, "operation", &operation, .atMost(64))
      try visitor.bytes(4, "key", &key, .absentOr(16))
      try visitor.text(5, "label", &label, .atMost(128))
      try visitor.bytes(6, "digest", &digest, .absentOr(32))
      try visitor.uint64(7, "until", &until)
      try visitor.uint32(8, "approved_by", &approvedBy)
      try visitor.bytes(9, "exchange_key", &exchangeKey, .absentOr(16))
      try visitor.text(10, "exchange_label", &exchangeLabel, .atMost(128))
      try visitor.bytes(11, "exchange_check_value", &exchangeCheckValue, .atMost(32))
      try visitor.text(12, "subject", &subject, .atMost(OTPSubject.cap))
    }
  }

  /// In the order in which they came, at most `limit`.
  package var requests: [Request] = []

  /// Requests that can wait at once.
  package static let limit = 64

  package init() {}

  package init(requests: [Request]) { self.requests = requests }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.messages(1, "requests", "PendingRequest", &requests, atMost: 640, count: Self.limit)
  }
}

/// `swap-policy`: names the policy that the next reload may put in force.
package struct SwapPolicyRequest: Message, Hashable, Sendable {
  /// SHA-256 of the policy's canonical text, 32 bytes.
  package var policyHash: [UInt8] = []
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "policy_hash", &policyHash, .exactly(32))
  }
}
