/// `mac`: a message authentication code under a stored key, or under the key behind a handle.
package struct MACRequest: ~Escapable {
  /// 16 bytes, or empty for the stored key.
  package let handle: Span<UInt8>
  /// With a handle alone: a stored key has its own.
  package let algorithm: MACChoice?
  /// Bytes of the code; zero for all of them.
  package let length: Int
  package let message: Span<UInt8>

  @_lifetime(copy handle, copy message)
  package init(handle: Span<UInt8>, algorithm: MACChoice?, length: Int, message: Span<UInt8>) {
    self.handle = handle
    self.algorithm = algorithm
    self.length = length
    self.message = message
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    handle = try body.bytes(MACFields.handle, absentOr: PrimitiveCaps.handle)
    algorithm = try body.optionalEnumeration(MACFields.algorithm)
    guard handle.isEmpty == (algorithm == nil) else { throw .badValue(MACFields.algorithm.number) }
    length = try body.macLength()
    message = try body.bytes(MACFields.message, atMost: PrimitiveCaps.message)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(MACFields.handle, handle, absentOr: PrimitiveCaps.handle)
    try writer.uint(MACFields.algorithm, UInt64(algorithm?.rawValue ?? 0))
    try writer.uint(MACFields.length, UInt64(length))
    try writer.bytes(MACFields.message, message, atMost: PrimitiveCaps.message)
  }

  package static let schema = MessageSchema(
    "MacRequest", [MACFields.handle, MACFields.algorithm, MACFields.length, MACFields.message])
}

package struct MACReply: ~Escapable {
  package let mac: Span<UInt8>

  @_lifetime(copy mac)
  package init(mac: Span<UInt8>) { self.mac = mac }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    mac = try body.bytes(Fields.mac, atMost: PrimitiveCaps.mac)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.mac, mac, atMost: PrimitiveCaps.mac)
  }

  private enum Fields {
    static let mac = Field(1, "mac", .bytes)
  }

  package static let schema = MessageSchema("MacReply", [Fields.mac])
}

/// `verify-mac`: whether a code is the key's; the reply says so by its status alone.
package struct VerifyMACRequest: ~Escapable {
  /// 16 bytes, or empty for the stored key.
  package let handle: Span<UInt8>
  /// With a handle alone: a stored key has its own.
  package let algorithm: MACChoice?
  /// Bytes that the code must have; zero for all of them.
  package let length: Int
  package let message: Span<UInt8>
  package let mac: Span<UInt8>

  @_lifetime(copy handle, copy message, copy mac)
  package init(handle: Span<UInt8>, algorithm: MACChoice?, length: Int, message: Span<UInt8>, mac: Span<UInt8>) {
    self.handle = handle
    self.algorithm = algorithm
    self.length = length
    self.message = message
    self.mac = mac
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    handle = try body.bytes(MACFields.handle, absentOr: PrimitiveCaps.handle)
    algorithm = try body.optionalEnumeration(MACFields.algorithm)
    guard handle.isEmpty == (algorithm == nil) else { throw .badValue(MACFields.algorithm.number) }
    length = try body.macLength()
    message = try body.bytes(MACFields.message, atMost: PrimitiveCaps.message)
    mac = try body.bytes(MACFields.mac, atMost: PrimitiveCaps.mac)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(MACFields.handle, handle, absentOr: PrimitiveCaps.handle)
    try writer.uint(MACFields.algorithm, UInt64(algorithm?.rawValue ?? 0))
    try writer.uint(MACFields.length, UInt64(length))
    try writer.bytes(MACFields.message, message, atMost: PrimitiveCaps.message)
    try writer.bytes(MACFields.mac, mac, atMost: PrimitiveCaps.mac)
  }

  package static let schema = MessageSchema(
    "VerifyMacRequest", [MACFields.handle, MACFields.algorithm, MACFields.length, MACFields.message, MACFields.mac])
}

private enum MACFields {
  static let handle = Field(1, "handle", .bytes)
  static let algorithm = Field(2, "algorithm", .enumeration("MacAlgorithm"))
  static let length = Field(3, "length", .uint32)
  static let message = Field(4, "message", .bytes)
  static let mac = Field(5, "mac", .bytes)
}

extension MessageReader {
  /// At most as long as any code; whether it suits the algorithm is for the operation to say.
  @_lifetime(self: copy self)
  fileprivate mutating func macLength() throws(WireError) -> Int {
    let length = Int(try uint32(MACFields.length))
    guard length <= PrimitiveCaps.mac else { throw .badValue(MACFields.length.number) }
    return length
  }
}
