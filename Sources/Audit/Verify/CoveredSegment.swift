/// A segment that was verified up to its last checkpoint.
package struct CoveredSegment: Sendable {
  package let fileName: String
  /// The bytes up to the end of that checkpoint.
  package let byteCount: Int
  package let checkpoint: SignedCheckpoint
}
