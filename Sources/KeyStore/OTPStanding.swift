internal import SecretMemory
internal import Wire

/// Where one subject stands with one key for codes.
package struct OTPStanding: Hashable, Sendable {
  /// The lowest counter, or time step, that can still be accepted: those below were, or were passed over.
  package var next: UInt64 = 0
  /// One more than the highest counter that was given out; zero before the first.
  package var issued: UInt64 = 0
  /// Wrong codes since the last right one.
  package var failures: UInt32 = 0
  /// When the last of them came, in seconds since 1970.
  package var lastFailure: Int64 = 0

  package init() {}

  /// Whether no code was ever right or given out: nothing but guesses.
  var hasOnlyFailed: Bool { next == 0 && issued == 0 }
}

/// One entry of a ledger: 48 bytes, of which the subject's tag takes 16; its MAC follows. [KS-LEDGER-ENTRY]
struct OTPEntry {
  static let byteCount = 48

  let subject: Subject
  let standing: OTPStanding

  /// The first half of a MAC over the subject's name, which itself is in no file.
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
