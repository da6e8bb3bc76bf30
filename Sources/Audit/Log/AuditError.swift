package import Host

/// Why a log cannot be opened, read or written.
package enum AuditError: Error, Hashable {
  /// The log has failed or is closed: it takes no more records in this process.
  case unavailable
  /// The disk is full: nothing is half-written, and the log goes on once there is space.
  case full
  /// Another process has the log open.
  case inUse
  case disk(DiskError)
  /// The clock shows a year that RFC 3339 cannot express.
  case clock
  /// The segment being written was removed, cut or replaced.
  case displaced
  /// Signing failed: a fault of ours.
  case signing
  /// The log has fewer records than a checkpoint kept elsewhere says, or a segment is missing.
  case truncated(size: UInt64, expected: UInt64)
  /// The log was changed in a way that no crash explains; `at` is the sequence of the first record
  /// in doubt.
  case tampered(at: UInt64, Tampering)
}

/// What is wrong with a log that was changed.
package enum Tampering: String, Hashable, Sendable, CaseIterable {
  /// Bytes that are neither record nor checkpoint, with a signed checkpoint after them.
  case form
  case sequence
  /// A record does not hold the hash of the one before it.
  case chain
  /// A segment does not begin with a segment record, or that record names another tree.
  case segment
  /// A checkpoint is signed by another name or key.
  case signer
  case signature
  /// A checkpoint's size differs from the number of records before it.
  case size
  /// A checkpoint's root differs from that of the records before it.
  case root
  /// The log is not the one that the checkpoint kept elsewhere is of.
  case fork
  /// Bytes follow the last checkpoint of a segment that is not the last.
  case remainder
  /// A compressed segment is cut short or cannot be decompressed.
  case compression
}

/// Turns a disk's error into the log's.
package func onDisk<R: ~Copyable>(_ body: @autoclosure () throws(DiskError) -> R) throws(AuditError)
  -> R
{
  do throws(DiskError) { return try body() } catch { throw .disk(error) }
}

extension AuditError {
  /// What is wrong with the log, in words that follow its name.
  package var text: String {
    switch self {
    case .unavailable: "it takes no more records in this process"
    case .full: "its disk is full"
    case .inUse: "another process has it open"
    case .disk(let error): error.text
    case .clock: "the clock shows a year that no record can have"
    case .displaced: "the segment being written was removed, cut or replaced"
    case .signing: "its checkpoint could not be signed"
    case .truncated(let size, let expected): "it has \(size) records, and \(expected) were known"
    case .tampered(let sequence, let what):
      "it was changed at record \(sequence) (\(what.rawValue)); see kist audit verify"
    }
  }
}
