/// The fixed 20 bytes between a reply's length and its body.
///
/// `u32 length ‖ u8 version ‖ u8 status ‖ u16 opcode ‖ u64 request id ‖ u64 audit sequence ‖ body`, big-endian [WIRE-2].
package struct ReplyHeader: Hashable, Sendable {
  package let status: Status
  package let opcode: UInt16
  package let requestID: UInt64
  /// The sequence number of the request's audit record, which callers quote to operators; `unaudited` if there is none.
  package let auditSequence: UInt64

  package init(status: Status, opcode: UInt16, requestID: UInt64, auditSequence: UInt64) {
    (self.status, self.opcode, self.requestID, self.auditSequence) = (status, opcode, requestID, auditSequence)
  }

  package static let byteCount = 20
  package static let unaudited = UInt64.max

  /// - Throws: `WireError.truncated`, `.version`, `.badValue` for an unknown status.
  package init(_ frame: Span<UInt8>) throws(WireError) {
    guard frame.count >= Self.byteCount else { throw .truncated }
    guard frame[0] == RequestHeader.version else { throw .version }
    guard let status = Status(rawValue: frame[1]) else { throw .badValue(WireField(0, "status", "is none of this version's")) }
    self.status = status
    opcode = UInt16(bigEndian: frame, at: 2)
    requestID = UInt64(bigEndian: frame, at: 4)
    auditSequence = UInt64(bigEndian: frame, at: 12)
  }

  /// Encodes the length and the header, together 24 bytes, for a body of `bodyCount` bytes.
  @_lifetime(frame: copy frame)
  package func encode(bodyCount: Int, into frame: inout MutableSpan<UInt8>) {
    frame.store(UInt32(Self.byteCount + bodyCount), at: 0)
    frame[4] = RequestHeader.version
    frame[5] = status.rawValue
    frame.store(opcode, at: 6)
    frame.store(requestID, at: 8)
    frame.store(auditSequence, at: 16)
  }
}
