/// The hash of a key for people's codes.
package enum OTPHashName: UInt8, CaseIterable, Sendable {
  case sha1 = 1
  case sha256 = 2
  case sha512 = 3
}

/// What a key for one-time values needs besides its role; zero or empty where the role has no such thing, or for the usual.
package struct OTPParameters: Message, Hashable, Sendable {
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

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "key_set", &keySet, .atMost(64))
    try visitor.text(2, "key_alias", &keyAlias, .atMost(64))
    try visitor.uint32(3, "digits", &digits)
    try visitor.enumeration(4, "hash", "OtpHash", &hash)
    try visitor.uint32(5, "step", &step)
    try visitor.uint32(6, "window", &window)
    try visitor.uint32(7, "failures", &failures)
    try visitor.uint32(8, "lockout", &lockout)
  }

  package var isEmpty: Bool { self == OTPParameters() }
}
