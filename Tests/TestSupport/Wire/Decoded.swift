package import Format

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

  private init(fields: [String], bytes: [UInt8]) {
    self.fields = fields
    self.bytes = bytes
  }
}

extension Decoded {
  private static func message(_ name: String, _ bytes: Span<UInt8>) throws -> Decoded {
    guard let decode = decoders.byName[name] else { throw Flaw.unknownMessage(name) }
    return try decode(bytes)
  }

  private init<M: Message & ~Escapable>(_: M.Type, _ bytes: Span<UInt8>) throws {
    var listing = Listing()
    // Not a byte more than came: what encodes longer is not the same.
    self.bytes = try written(atMost: bytes.count) { writer in
      var message = try M(MessageReader(bytes))
      try message.visit(&listing)
      try message.encode(into: &writer)
    }
    fields = listing.lines
  }

  private struct Decoders: MessageVisitor {
    var byName: [String: @Sendable (Span<UInt8>) throws -> Decoded] = [:]

    mutating func message<M: Message & SendableMetatype & ~Escapable>(
      _ type: M.Type, _ name: String
    ) { byName[name] = { try Decoded(type, $0) } }
  }

  private static let decoders: Decoders = {
    var decoders = Decoders()
    do { try Schema.visit(&decoders) } catch { preconditionFailure("\(error)") }
    return decoders
  }()
}

extension Decoded {
  private static func requests(_ bytes: Span<UInt8>) throws(WireError) -> Decoded {
    try frames(bytes, in: FrameLength.request, headerByteCount: RequestHeader.byteCount) {
      (frame, bodyCount, listing, out) throws(WireError) in
      let header = try RequestHeader(frame)
      listing.always("flags", header.asksWait ? "1" : "0")
      listing.always("opcode", "\(header.opcode)")
      listing.always("request_id", "\(header.requestID)")
      listing.bytes("key_id", header.key.bytes.span)
      header.encode(bodyCount: bodyCount, into: &out)
    }
  }

  private static func replies(_ bytes: Span<UInt8>) throws(WireError) -> Decoded {
    try frames(bytes, in: FrameLength.reply, headerByteCount: ReplyHeader.byteCount) {
      (frame, bodyCount, listing, out) throws(WireError) in
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
        do throws(WireError) { try header(frame, length - headerByteCount, &listing, &span) } catch
        { failure = error }
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
package func written(atMost cap: Int, _ body: (inout MessageWriter) throws -> Void) throws
  -> [UInt8]
{
  var storage = [UInt8](repeating: 0xAA, count: cap)
  var writer = MessageWriter(storage.mutableSpan)
  try body(&writer)
  let count = writer.count
  return Array(storage.prefix(count))
}
