/// The fixed 28 bytes between a request's length and its body; policy decides on these alone.
///
/// `u32 length ‖ u8 version ‖ u8 flags ‖ u16 opcode ‖ u64 request id ‖ 16 B key id ‖ body`,
/// big-endian [WIRE-1].
package struct RequestHeader: Hashable, Sendable {
  /// A raw number: an opcode that this version does not know is answered `unsupported`, not
  /// `malformed`.
  package let opcode: UInt16
  /// Chosen by the client; repeated in the reply and the audit record.
  package let requestID: UInt64
  package let key: KeyID
  /// Whether a `busy` reply is to say for how long [WIRE-24].
  package let asksWait: Bool

  package init(opcode: UInt16, requestID: UInt64, key: KeyID, asksWait: Bool = false) {
    self.opcode = opcode
    self.requestID = requestID
    self.key = key
    self.asksWait = asksWait
  }

  /// The size of the length field before every frame.
  package static let lengthByteCount = 4
  package static let byteCount = 28
  /// What the length of a request can be, whatever its opcode [WIRE-4].
  package static let lengths = byteCount...128 * 1024
  package static let version: UInt8 = 1
  private static let waitFlag: UInt8 = 1

  /// Decodes the header from the first 28 bytes after the length.
  ///
  /// - Throws: `WireError.truncated`, `.version`, `.reservedBits`.
  package init(_ frame: Span<UInt8>) throws(WireError) {
    guard frame.count >= Self.byteCount else { throw .truncated }
    guard frame[0] == Self.version else { throw .version }
    guard frame[1] & ~Self.waitFlag == 0 else { throw .reservedBits }
    guard let key = KeyID(prefixOf: frame.extracting(12..<28)) else { throw .truncated }
    opcode = UInt16(bigEndian: frame, at: 2)
    requestID = UInt64(bigEndian: frame, at: 4)
    asksWait = frame[1] & Self.waitFlag != 0
    self.key = key
  }

  /// Encodes the length and the header, together 32 bytes, for a body of `bodyCount` bytes.
  @_lifetime(frame: copy frame)
  package func encode(bodyCount: Int, into frame: inout MutableSpan<UInt8>) {
    frame.store(UInt32(Self.byteCount + bodyCount), at: 0)
    frame[4] = Self.version
    frame[5] = asksWait ? Self.waitFlag : 0
    frame.store(opcode, at: 6)
    frame.store(requestID, at: 8)
    frame.store(key.high, at: 16)
    frame.store(key.low, at: 24)
  }
}

/// The fixed 20 bytes between a reply's length and its body.
///
/// `u32 length ‖ u8 version ‖ u8 status ‖ u16 opcode ‖ u64 request id ‖ u64 audit sequence ‖ body`,
/// big-endian [WIRE-2].
package struct ReplyHeader: Hashable, Sendable {
  package let status: Status
  package let opcode: UInt16
  package let requestID: UInt64
  /// The sequence number of the request's audit record, which callers quote to operators;
  /// `unaudited` if there is none.
  package let auditSequence: UInt64

  package init(status: Status, opcode: UInt16, requestID: UInt64, auditSequence: UInt64) {
    self.status = status
    self.opcode = opcode
    self.requestID = requestID
    self.auditSequence = auditSequence
  }

  package static let byteCount = 20
  package static let unaudited = UInt64.max

  /// - Throws: `WireError.truncated`, `.version`, `.badValue` for an unknown status.
  package init(_ frame: Span<UInt8>) throws(WireError) {
    guard frame.count >= Self.byteCount else { throw .truncated }
    guard frame[0] == RequestHeader.version else { throw .version }
    guard let status = Status(rawValue: frame[1]) else {
      throw .badValue(WireField(0, "status", "is none of this version's"))
    }
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

/// Sixteen bytes that identify a key on the wire and on disk.
///
/// For an asymmetric key they are the first half of the SHA-256 of its SubjectPublicKeyInfo, so an
/// Apple token's `publicKeyHash` identifies its key; for a symmetric key they are random. All zeros
/// mean no key.
package struct KeyID: Hashable, Sendable {
  package let high, low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// From the first sixteen bytes of `bytes`, or nil if there are fewer.
  package init?(prefixOf bytes: Span<UInt8>) {
    guard bytes.count >= Self.byteCount else { return nil }
    self.init(high: UInt64(bigEndian: bytes, at: 0), low: UInt64(bigEndian: bytes, at: 8))
  }

  package static let byteCount = 16
  package static let none = KeyID(high: 0, low: 0)

  /// Big-endian, sixteen bytes.
  package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}

extension KeyID: Comparable {
  /// In the order of their bytes and hexadecimal digits.
  package static func < (a: KeyID, b: KeyID) -> Bool { (a.high, a.low) < (b.high, b.low) }
}
