package import Host

/// Why a ceremony's directory does not hold a valid transcript.
package enum TranscriptFault: Error, Hashable, Sendable {
  /// A file is missing or cannot be read.
  case unreadable(StorageError)
  /// This version does not accept the ceremony's file.
  case plan
  /// A sitting's log is not whole: `kist audit verify` says where.
  case log(sitting: Int)
  /// A sitting does not begin where the one before it ended, or its file, kind or key is not the one that it states.
  case sitting(Int)
  /// A record that is not part of any transcript.
  case entry
  /// A step is out of order.
  case order(step: Int)
  /// The final note is not of this transcript, or the program did not sign it.
  case note
  /// A witness's signature is not valid.
  case signature
  /// An output is missing, or is not what was written.
  case output(String)
  /// The store was not what the records before announced.
  case store
  /// A record that the plan requires is missing, or another one is in its place.
  case record(Mismatch)
  /// The outputs have a file that no step wrote.
  case stranger(String)

  package struct Mismatch: Hashable, Sendable {
    /// 0 before the first.
    package let step: Int
    package let expected: String
    /// Nil if nothing came.
    package let found: String?
  }
}
