internal import Encoding
internal import SecretMemory
internal import Wire

/// The state of one subject with one key for codes.
package struct OTPStanding: Hashable, Sendable {
  /// The lowest counter or time step that can still be accepted: all lower ones were accepted or skipped.
  package var next: UInt64 = 0
  /// One more than the highest counter given out; zero if none was.
  package var issued: UInt64 = 0
  /// Wrong codes since the last right one.
  package var failures: UInt32 = 0
  /// The time of the last wrong code, in seconds since 1970.
  package var lastFailure: Int64 = 0

  package init() {}

  /// Whether no code was ever accepted or given out.
  var hasOnlyFailed: Bool { next == 0 && issued == 0 }
}

/// One entry of a ledger: 48 bytes, 16 of them the subject's tag; its MAC follows. [KS-LEDGER-ENTRY]
struct OTPEntry {
  static let byteCount = 48

  let subject: Subject
  let standing: OTPStanding

  /// The first half of a MAC over the subject's name; the name itself is in no file.
  struct Subject: Hashable { let high, low: UInt64 }

  init(_ subject: Subject, _ standing: OTPStanding) { (self.subject, self.standing) = (subject, standing) }

  /// - Parameter bytes: 48.
  init(_ bytes: Span<UInt8>) {
    subject = Subject(high: UInt64(bigEndian: bytes, at: 0), low: UInt64(bigEndian: bytes, at: 8))
    var standing = OTPStanding()
    standing.next = UInt64(bigEndian: bytes, at: 16)
    standing.issued = UInt64(bigEndian: bytes, at: 24)
    standing.lastFailure = Int64(bigEndian: bytes, at: 32)
    standing.failures = UInt32(bigEndian: bytes, at: 40)
    self.standing = standing
  }

  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    var out = bytes.mutableSpan
    out.store(subject.high, at: 0)
    out.store(subject.low, at: 8)
    out.store(standing.next, at: 16)
    out.store(standing.issued, at: 24)
    out.store(standing.lastFailure, at: 32)
    out.store(standing.failures, at: 40)
    return bytes
  }
}
