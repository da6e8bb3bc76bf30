internal import Encoding
package import Wire

/// Bytes taken apart, listed, and put together again from what was found.
package struct Decoded: Equatable {
  package let fields: [String]
  package let bytes: [UInt8]

  package enum Flaw: Error {
    case unknownMessage(String)
  }

  package init(_ subject: WireVector.Subject, _ bytes: [UInt8]) throws {
    switch subject {
    case .message(let name): self = try Self.message(name, bytes.span)
    case .frames(.request): self = try Self.requests(bytes.span)
    case .frames(.reply): self = try Self.replies(bytes.span)
    }
  }

  private init(fields: [String], bytes: [UInt8]) { (self.fields, self.bytes) = (fields, bytes) }
}

extension Decoded {
  private static func message(_ name: String, _ bytes: Span<UInt8>) throws -> Decoded {
    var listing = Listing()
    // Not a byte more than came: what encodes longer is not the same.
    let encoded = try written(atMost: bytes.count) { writer in
      let body = MessageReader(bytes)
      switch name {
      case "PaymentToken":
        let message = try PaymentTokenMessage(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "Rejection":
        let message = try Rejection(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "OperationDescription":
        let message = try DescribeReply.Operation(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "DescribeReply":
        let message = try DescribeReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "KeyDescription":
        let message = try KeyDescription(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ListKeysRequest":
        let message = try ListKeysRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ListKeysReply":
        let message = try ListKeysReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "RandomRequest":
        let message = try RandomRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "RandomReply":
        let message = try RandomReply(body)
        listing.add(message)
        try writer.bytes(RandomReply.randomField, message.random)
      case "Right":
        let message = try WhoReply.Right(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "WhoReply":
        let message = try WhoReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "AuditDigestRequest":
        let message = try AuditDigestRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "AuditDigestReply":
        let message = try AuditDigestReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "VerifyPaymentTokenRequest":
        let message = try VerifyPaymentTokenRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "VerifyPaymentTokenReply":
        let message = try VerifyPaymentTokenReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "OpenPaymentTokenRequest":
        let message = try OpenPaymentTokenRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "OpenPaymentTokenReply":
        let message = try OpenPaymentTokenReply(bytes)
        listing.add(message)
        try encode(message, into: &writer)
      case "StatusReport":
        let message = try StatusReport(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ReviewLogRequest":
        let message = try ReviewLogRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "UnlockRequest":
        let message = try UnlockRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ApprovalNeeded":
        let message = try ApprovalNeeded(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "GenerateKeyRequest":
        let message = try GenerateKeyRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "AttachCertificateRequest":
        let message = try AttachCertificateRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ApproveRequest":
        let message = try ApproveRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "PendingRequest":
        let message = try ListRequestsReply.Request(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ListRequestsReply":
        let message = try ListRequestsReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "SwapPolicyRequest":
        let message = try SwapPolicyRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "BackUpReply":
        let message = try BackUpReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ImportKeyRequest":
        let message = try ImportKeyRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "SubmitShareRequest":
        let message = try SubmitShareRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ShareProgressReply":
        let message = try ShareProgressReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "DrilledKey":
        let message = try DrilledKey(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "RecordDrillRequest":
        let message = try RecordDrillRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "RecordDrillReply":
        let message = try RecordDrillReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "CertificateRequestRequest":
        let message = try CertificateRequestRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "CertificateRequestReply":
        let message = try CertificateRequestReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ExportKeyRequest":
        let message = try ExportKeyRequest(body)
        listing.add(message)
        try message.encode(into: &writer)
      case "ExportKeyReply":
        let message = try ExportKeyReply(body)
        listing.add(message)
        try message.encode(into: &writer)
      default: try primitive(name, bytes, &listing, &writer)
      }
    }
    return Decoded(fields: listing.lines, bytes: encoded)
  }

  /// As the daemon does it: each released field straight from where it is.
  private static func encode(_ reply: borrowing OpenPaymentTokenReply, into writer: inout MessageWriter) throws(WireError) {
    for field in ReleasedField.allCases {
      if field == .panEnvelope { try writer.uint(OpenPaymentTokenReply.signingTimeField, reply.signingTime) }
      guard field == .amount else {
        try writer.bytes(OpenPaymentTokenReply.field(field), reply[field])
        continue
      }
      if let amount = reply.amount { try writer.uint(OpenPaymentTokenReply.field(.amount), amount) }
    }
  }
}

extension Decoded {
  private static func requests(_ bytes: Span<UInt8>) throws(WireError) -> Decoded {
    try frames(bytes, in: FrameLength.request, headerByteCount: RequestHeader.byteCount) { (frame, bodyCount, listing, out) throws(WireError) in
      let header = try RequestHeader(frame)
      listing.always("opcode", "\(header.opcode)")
      listing.always("request_id", "\(header.requestID)")
      listing.bytes("key_id", header.key.bytes.span)
      header.encode(bodyCount: bodyCount, into: &out)
    }
  }

  private static func replies(_ bytes: Span<UInt8>) throws(WireError) -> Decoded {
    try frames(bytes, in: FrameLength.reply, headerByteCount: ReplyHeader.byteCount) { (frame, bodyCount, listing, out) throws(WireError) in
      let header = try ReplyHeader(frame)
      listing.always("status", "\(header.status.rawValue)")
      listing.always("opcode", "\(header.opcode)")
      listing.always("request_id", "\(header.requestID)")
      listing.always("audit_sequence", "\(header.auditSequence)")
      header.encode(bodyCount: bodyCount, into: &out)
    }
  }

  /// Reads frame behind frame as a connection does, each header before its body.
  private static func frames(
    _ bytes: Span<UInt8>, in lengths: ClosedRange<Int>, headerByteCount: Int,
    _ header: (Span<UInt8>, Int, inout Listing, inout MutableSpan<UInt8>) throws(WireError) -> Void
  ) throws(WireError) -> Decoded {
    var rest = bytes
    var listing = Listing()
    var encoded: [UInt8] = []
    var index = 0
    while !rest.isEmpty {
      let length = try FrameLength.decode(rest, in: lengths)
      let frame = rest.extracting(droppingFirst: FrameLength.byteCount)
      var out = [UInt8](repeating: 0xAA, count: FrameLength.byteCount + headerByteCount)
      var failure: WireError?
      listing.nested("frame[\(index)]") { listing in
        var span = out.mutableSpan
        do throws(WireError) { try header(frame, length - headerByteCount, &listing, &span) } catch { failure = error }
      }
      if let failure { throw failure }
      guard length <= frame.count else { throw .truncated }
      let body = frame.extracting(headerByteCount..<length)
      listing.nested("frame[\(index)]") { $0.always("body", "hex:\(Hex.encode(body))") }
      encoded += out + body.array
      rest = frame.extracting(droppingFirst: length)
      index += 1
    }
    return Decoded(fields: listing.lines, bytes: encoded)
  }
}

/// What `body` writes into `cap` bytes.
package func written(atMost cap: Int, _ body: (inout MessageWriter) throws -> Void) throws -> [UInt8] {
  var storage = [UInt8](repeating: 0xAA, count: cap)
  var writer = MessageWriter(storage.mutableSpan)
  try body(&writer)
  let count = writer.count
  return Array(storage.prefix(count))
}
