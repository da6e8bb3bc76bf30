internal import Encoding

/// `list-requests`: what waits for a second person.
package struct ListRequestsReply: Hashable, Sendable {
  package struct Request: Hashable, Sendable {
    /// As `ApprovalNeeded` names it.
    package let id: String
    /// Who asks.
    package let uid: UInt32
    package let operation: String
    /// 16 bytes; empty where it names no key.
    package let key: [UInt8]
    package let label: String
    /// SHA-256 of the request's body, or for `swap-policy` of the policy, 32 bytes; empty for a service's, which may hold a card number.
    package let digest: [UInt8]
    /// Seconds since 1970.
    package let until: UInt64
    /// Who approved; nil while nobody has.
    package let approvedBy: UInt32?

    package init(
      id: String, uid: UInt32, operation: String, key: [UInt8], label: String, digest: [UInt8], until: UInt64, approvedBy: UInt32?
    ) {
      (self.id, self.uid, self.operation, self.key, self.label) = (id, uid, operation, key, label)
      (self.digest, self.until, self.approvedBy) = (digest, until, approvedBy)
    }

    package init(_ body: consuming MessageReader) throws(WireError) {
      id = try body.string(Fields.id, atMost: 16)
      uid = try body.uint32(Fields.uid)
      operation = try body.string(Fields.operation, atMost: 64)
      let key = try body.bytes(Fields.key, absentOr: 16)
      self.key = key.array
      label = try body.string(Fields.label, atMost: 128)
      let digest = try body.bytes(Fields.digest, absentOr: 32)
      self.digest = digest.array
      until = try body.uint64(Fields.until)
      approvedBy = try body.optionalUInt32(Fields.approvedBy)
      try body.end()
    }

    package func encode(into writer: inout MessageWriter) throws(WireError) {
      try writer.string(Fields.id, id)
      try writer.uint(Fields.uid, UInt64(uid))
      try writer.string(Fields.operation, operation)
      try writer.bytes(Fields.key, key.span)
      try writer.string(Fields.label, label)
      try writer.bytes(Fields.digest, digest.span)
      try writer.uint(Fields.until, until)
      if let approvedBy { try writer.uint(Fields.approvedBy, UInt64(approvedBy)) }
    }

    private enum Fields {
      static let id = Field(1, "id", .string)
      static let uid = Field(2, "uid", .uint32)
      static let operation = Field(3, "operation", .string)
      static let key = Field(4, "key", .bytes)
      static let label = Field(5, "label", .string)
      static let digest = Field(6, "digest", .bytes)
      static let until = Field(7, "until", .uint64)
      static let approvedBy = Field(8, "approved_by", .uint32, .optional)
    }

    package static let schema = MessageSchema(
      "PendingRequest", [Fields.id, Fields.uid, Fields.operation, Fields.key, Fields.label, Fields.digest, Fields.until, Fields.approvedBy])
  }

  /// In the order in which they came, at most `limit`.
  package let requests: [Request]

  /// Requests that can wait at once.
  package static let limit = 64

  package init(requests: [Request]) { self.requests = requests }

  package init(_ body: consuming MessageReader) throws(WireError) {
    var requests: [Request] = []
    while let request = try body.element(Fields.requests, atMost: 512) {
      guard requests.count < Self.limit else { throw .tooLong(Fields.requests.number) }
      requests.append(try Request(MessageReader(request)))
    }
    self.requests = requests
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    for request in requests {
      try writer.message(Fields.requests) { (nested) throws(WireError) in try request.encode(into: &nested) }
    }
  }

  private enum Fields {
    static let requests = Field(1, "requests", .message("PendingRequest"), .repeated)
  }

  package static let schema = MessageSchema("ListRequestsReply", [Fields.requests])
}
