import Format

/// The state of one subject with one key for codes.
package struct OTPState: Hashable, Sendable {
  /// The lowest counter or time step that can still be accepted: all lower ones were accepted or
  /// skipped.
  package var next: UInt64 = 0 { didSet { retryKey = nil } }
  /// One more than the highest counter given out; zero if none was.
  package var issued: UInt64 = 0 { didSet { retryKey = nil } }
  /// Wrong codes since the last right one.
  package var failures: UInt32 = 0
  /// The time of the last wrong code, in seconds since 1970.
  package var lastFailure: Int64 = 0
  /// How many authenticators were enrolled; the codes are those of the last.
  package fileprivate(set) var enrolment: UInt32 = 0
  /// That of the request that enrolled the last, until one of its codes was accepted or given out.
  fileprivate var retryKey: OTPTag?

  package init() {}

  /// Whether no code was ever accepted or given out, and no authenticator enrolled.
  var hasOnlyFailed: Bool { next == 0 && issued == 0 && enrolment == 0 }

  /// Enrols an authenticator with a new secret, which ends the codes of those before; the same
  /// request again changes nothing. [OP-OTP-12]
  ///
  /// - Returns: its number; nil if there is none left.
  package mutating func enrol(_ retryKey: OTPTag) -> UInt32? {
    guard retryKey != self.retryKey else { return enrolment }
    let number = enrolment + 1
    guard number < OTPEntry.unused else { return nil }
    self = OTPState()
    enrolment = number
    self.retryKey = retryKey
    return number
  }
}

/// 16 bytes that are compared whole.
package struct OTPTag: Hashable, Sendable {
  private let high, low: UInt64

  /// - Parameter bytes: 16 from `place` on.
  package init(_ bytes: Span<UInt8>, at place: Int = 0) {
    high = UInt64(bigEndian: bytes, at: place)
    low = UInt64(bigEndian: bytes, at: place + 8)
  }

  func store(in out: inout MutableSpan<UInt8>, at place: Int) {
    out.store(high, at: place)
    out.store(low, at: place + 8)
  }
}

/// One entry of a ledger: 48 bytes, 16 of them the subject's tag; its MAC follows.
/// [KS-LEDGER-ENTRY]
struct OTPEntry {
  static let byteCount = 48
  /// In the number of an authenticator: the retry key that enrolled it stands in place of its
  /// counters.
  static let unused: UInt32 = 1 << 31

  /// The first half of a MAC over the subject's name; the name itself is in no file.
  let subject: OTPTag
  let state: OTPState

  init(_ subject: OTPTag, _ state: OTPState) {
    self.subject = subject
    self.state = state
  }

  /// - Parameter bytes: 48.
  init(_ bytes: Span<UInt8>) {
    subject = OTPTag(bytes)
    var state = OTPState()
    state.lastFailure = Int64(bigEndian: bytes, at: 32)
    state.failures = UInt32(bigEndian: bytes, at: 40)
    let number = UInt32(bigEndian: bytes, at: 44)
    state.enrolment = number & ~Self.unused
    if number < Self.unused {
      state.next = UInt64(bigEndian: bytes, at: 16)
      state.issued = UInt64(bigEndian: bytes, at: 24)
    } else {
      state.retryKey = OTPTag(bytes, at: 16)
    }
    self.state = state
  }

  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    var out = bytes.mutableSpan
    subject.store(in: &out, at: 0)
    out.store(state.lastFailure, at: 32)
    out.store(state.failures, at: 40)
    out.store(state.enrolment, at: 44)
    if let retryKey = state.retryKey {
      out.store(state.enrolment | Self.unused, at: 44)
      retryKey.store(in: &out, at: 16)
    } else {
      out.store(state.next, at: 16)
      out.store(state.issued, at: 24)
    }
    return bytes
  }
}
