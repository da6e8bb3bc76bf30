package import Storage

/// Why what lies in a ceremony's directory is not the transcript of a ceremony.
package enum TranscriptFault: Error, Hashable, Sendable {
  /// A file is missing or cannot be read.
  case unreadable(StorageError)
  /// The ceremony's file is none any more that this version reads.
  case plan
  /// A sitting's log is not whole: `kist audit verify` says where.
  case log(sitting: Int)
  /// A sitting does not begin where the one before it ended, or with another file, kind or key than it says.
  case sitting(Int)
  /// A record that no transcript has.
  case entry
  /// A step is out of order.
  case order(step: Int)
  /// The final note is not of this transcript, or the program did not sign it.
  case note
  /// A witness's signature is there and is not true.
  case signature
  /// An output is missing, or is not what was written.
  case output(String)
  /// The store was not what the record before says it would be.
  case store
  /// A record that the plan needs is missing, or another one is in its place.
  case record(Mismatch)
  /// Something lies in the outputs that no step wrote.
  case stranger(String)

  package struct Mismatch: Hashable, Sendable {
    /// 0 before the first.
    package let step: Int
    package let expected: String
    /// Nil where nothing came.
    package let found: String?
  }
}
