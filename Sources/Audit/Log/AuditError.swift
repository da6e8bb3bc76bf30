package import Storage

/// Why a log cannot be opened, read or written.
package enum AuditError: Error, Hashable, Sendable {
  /// The log failed once, or is closed: it takes nothing more in this process.
  case unavailable
  /// The disk is full: nothing is half-written, and the log goes on once there is space again.
  case full
  /// Another process has the log open.
  case inUse
  case disk(DiskError)
  /// The clock shows a year that RFC 3339 cannot write.
  case clock
  /// The segment that is written to was removed, cut, or another put in its place.
  case displaced
  /// The signing key does not sign: a fault of ours.
  case signing
  /// Fewer records than a checkpoint kept elsewhere says, or a segment is missing.
  case truncated(size: UInt64, expected: UInt64)
  /// What stands there cannot come from a crash; the number is the sequence of the first record in doubt.
  case tampered(at: UInt64, Tampering)
}

/// What is wrong with a log that was changed.
package enum Tampering: String, Hashable, Sendable, CaseIterable {
  /// Bytes that are no record and no checkpoint, with a signed checkpoint after them.
  case form
  case sequence
  /// A record does not name the one before it.
  case chain
  /// A segment does not begin with its record, or that names another tree.
  case segment
  /// A checkpoint is signed by another name or key.
  case signer
  case signature
  /// A checkpoint's size is not the number of records before it.
  case size
  /// A checkpoint's root is not that of the records before it.
  case root
  /// The log is not the one of which a checkpoint was kept elsewhere.
  case fork
  /// Something follows the last checkpoint of a segment that is not the last.
  case remainder
  /// A compressed segment is cut short, or no such thing.
  case compression
}
