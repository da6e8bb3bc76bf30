/// The hash of a key for people's codes.
package enum OTPHashName: UInt8, CaseIterable, Sendable {
  case sha1 = 1
  case sha256 = 2
  case sha512 = 3
}

/// What a key for one-time values needs besides its role; zero or empty where the role has no such thing, or for the usual.
package struct OTPParameters: Hashable, Sendable {
  /// Visa.
  package var keySet = ""
  /// Mastercard.
  package var keyAlias = ""
  /// Codes: 6 to 8.
  package var digits: UInt32 = 0
  package var hash: OTPHashName?
  /// Timed codes: seconds.
  package var step: UInt32 = 0
  package var window: UInt32?
  package var failures: UInt32 = 0
  /// Seconds.
  package var lockout: UInt32 = 0

  package init() {}

  package var isEmpty: Bool { self == OTPParameters() }

  package init(_ body: consuming MessageReader) throws(WireError) {
    keySet = try body.string(Fields.keySet, atMost: 64)
    keyAlias = try body.string(Fields.keyAlias, atMost: 64)
    digits = try body.uint32(Fields.digits)
    hash = try body.optionalEnumeration(Fields.hash)
    step = try body.uint32(Fields.step)
    window = try body.optionalUInt32(Fields.window)
    failures = try body.uint32(Fields.failures)
    lockout = try body.uint32(Fields.lockout)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.string(Fields.keySet, keySet)
    try writer.string(Fields.keyAlias, keyAlias)
    try writer.uint(Fields.digits, UInt64(digits))
    try writer.uint(Fields.hash, UInt64(hash?.rawValue ?? 0))
    try writer.uint(Fields.step, UInt64(step))
    if let window { try writer.uint(Fields.window, UInt64(window)) }
    try writer.uint(Fields.failures, UInt64(failures))
    try writer.uint(Fields.lockout, UInt64(lockout))
  }

  /// Those of an enclosing message; without any where the field is absent.
  init(optional body: inout MessageReader, _ field: Field) throws(WireError) {
    self = try OTPParameters(MessageReader(try body.bytes(field, atMost: 256)))
  }

  func encode(optional writer: inout MessageWriter, _ field: Field) throws(WireError) {
    guard !isEmpty else { return }
    try writer.message(field) { (nested) throws(WireError) in try encode(into: &nested) }
  }

  private enum Fields {
    static let keySet = Field(1, "key_set", .string)
    static let keyAlias = Field(2, "key_alias", .string)
    static let digits = Field(3, "digits", .uint32)
    static let hash = Field(4, "hash", .enumeration("OtpHash"))
    static let step = Field(5, "step", .uint32)
    static let window = Field(6, "window", .uint32, .optional)
    static let failures = Field(7, "failures", .uint32)
    static let lockout = Field(8, "lockout", .uint32)
  }

  package static let schema = MessageSchema(
    "OtpParameters",
    [Fields.keySet, Fields.keyAlias, Fields.digits, Fields.hash, Fields.step, Fields.window, Fields.failures, Fields.lockout])
}
